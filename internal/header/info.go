// What a header says of one tensor.

package header

import (
	"math/bits"
	"strconv"

	"github.com/weightools/safetensors/internal/num"
)

// LengthSize is the size in bytes of the header's length, with which a file
// begins.
const LengthSize = 8

// MetadataName is the name of the member of a header that is not a tensor.
const MetadataName = "__metadata__"

// An Info is one entry of a header. The root package has a type of the same
// layout, TensorInfo, which documents the fields.
type Info struct {
	Name    string
	Dtype   string
	Shape   []int64
	Offsets Span
	Entry   Span
}

// Product returns the product of the dimensions, multiplied from left to right
// as in the reference implementation: an overflow before a dimension of 0 is an
// overflow. It returns false on overflow.
func Product(shape []int64) (uint64, bool) {
	n := uint64(1)
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 {
			return 0, false
		}
		n = lo
	}
	return n, true
}

// Bytes returns the number of bytes that n elements of the given width in bits
// take, or the rule that they break. Like the reference implementation, it
// reports Overflow if the number of bits overflows, so the result is below 2^61.
func Bytes(n uint64, width int) (size uint64, broken Rule) {
	hi, lo := bits.Mul64(n, uint64(width))
	if hi != 0 {
		return 0, Overflow
	}
	if lo%8 != 0 {
		return 0, WholeBytes
	}
	return lo / 8, None
}

// ShapeString returns a shape as in "[4096, 11008]".
func ShapeString(shape []int64) string {
	b := append(make([]byte, 0, 32), '[')
	return string(append(AppendDims(b, shape, ", "), ']'))
}

// AppendDims appends dimensions to b, with a separator between them. They are unsigned: see the
// root package's TensorInfo.
func AppendDims(b []byte, shape []int64, separator string) []byte {
	for i, d := range shape {
		if i > 0 {
			b = append(b, separator...)
		}
		b = strconv.AppendUint(b, uint64(d), 10)
	}
	return b
}

// Shorten shortens a shape that is too long for a message.
func Shorten(shape string) string {
	const most = 80
	if len(shape) > most {
		return shape[:most] + "..."
	}
	return shape
}

// width returns the bits of one element, or 0 if the dtype is not known.
func width(dtype string) int {
	if c := num.For(dtype); c != nil {
		return c.Bits() * c.Parts()
	}
	return 0
}
