// What a header says of one tensor.

package header

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/weightools/safetensors/internal/num"
)

// LengthSize is the size in bytes of the header's length, with which a file
// begins.
const LengthSize = 8

// MetadataName is the name of the member of a header that is not a tensor.
const MetadataName = "__metadata__"

// A Span is the bytes from Begin up to, but not including, End.
type Span struct{ Begin, End int64 }

// String returns s as in "[0, 16)".
func (s Span) String() string { return fmt.Sprintf("[%d, %d)", s.Begin, s.End) }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Begin }

// Shift returns s moved up by n bytes. An end that would overflow becomes the
// largest int64.
func (s Span) Shift(n int64) Span { return Span{Add(s.Begin, n), Add(s.End, n)} }

// Add returns a + b, or the largest int64 on overflow. Neither is negative.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Saturate returns v, or the largest int64 if that is less.
func Saturate(v uint64) int64 { return int64(min(v, math.MaxInt64)) }

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
	b := make([]byte, 0, 32)
	b = append(b, '[')
	for i, d := range shape {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendUint(b, uint64(d), 10)
	}
	return string(append(b, ']'))
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
