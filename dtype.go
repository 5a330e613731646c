// Dtypes, and the one table of them.

package safetensors

import (
	"iter"
	"math/bits"
)

// A Dtype names the type of a tensor's elements, spelled as headers spell it.
//
// It is a string, so that a dtype which this package has yet to hear of can
// still be read and printed. The zero Dtype is no dtype.
type Dtype string

// The dtypes of the format, in its own order: narrow before wide. The names
// are the format's, as of version 0.8.0 of the reference implementation.
const (
	BOOL        Dtype = "BOOL"        // one byte, 0 or 1
	F4          Dtype = "F4"          // MX float E2M1, 4 bits
	F6_E2M3     Dtype = "F6_E2M3"     // MX float, 6 bits
	F6_E3M2     Dtype = "F6_E3M2"     // MX float, 6 bits
	U8          Dtype = "U8"          // unsigned integer
	I8          Dtype = "I8"          // signed integer, as are I16 to I64
	F8_E5M2     Dtype = "F8_E5M2"     // float, 8 bits
	F8_E4M3     Dtype = "F8_E4M3"     // float, 8 bits, no infinities
	F8_E8M0     Dtype = "F8_E8M0"     // MX scale: a power of two
	F8_E4M3FNUZ Dtype = "F8_E4M3FNUZ" // float, 8 bits, no negative zero
	F8_E5M2FNUZ Dtype = "F8_E5M2FNUZ" // float, 8 bits, no negative zero
	I16         Dtype = "I16"
	U16         Dtype = "U16"
	F16         Dtype = "F16"  // IEEE 754 binary16
	BF16        Dtype = "BF16" // the upper half of an F32
	I32         Dtype = "I32"
	U32         Dtype = "U32"
	F32         Dtype = "F32" // IEEE 754 binary32
	C64         Dtype = "C64" // a pair of F32, the real part first
	F64         Dtype = "F64" // IEEE 754 binary64
	I64         Dtype = "I64"
	U64         Dtype = "U64"
)

// dtypes is the table. Its order is the reference implementation's, by which
// writers sort: see rank.
var dtypes = [...]struct {
	name Dtype
	bits int
}{
	{BOOL, 8},
	{F4, 4},
	{F6_E2M3, 6},
	{F6_E3M2, 6},
	{U8, 8},
	{I8, 8},
	{F8_E5M2, 8},
	{F8_E4M3, 8},
	{F8_E8M0, 8},
	{F8_E4M3FNUZ, 8},
	{F8_E5M2FNUZ, 8},
	{I16, 16},
	{U16, 16},
	{F16, 16},
	{BF16, 16},
	{I32, 32},
	{U32, 32},
	{F32, 32},
	{C64, 64},
	{F64, 64},
	{I64, 64},
	{U64, 64},
}

// Dtypes yields the dtypes that this package knows, in the format's order.
func Dtypes() iter.Seq[Dtype] {
	return func(yield func(Dtype) bool) {
		for _, d := range dtypes {
			if !yield(d.name) {
				return
			}
		}
	}
}

// rank returns d's place in the format's order, and -1 if d is not known.
func (d Dtype) rank() int {
	for i := range dtypes {
		if dtypes[i].name == d {
			return i
		}
	}
	return -1
}

// Bits returns the width of one element: 4, 6, 8, 16, 32 or 64, or 0 if d is
// not known.
func (d Dtype) Bits() int {
	if i := d.rank(); i >= 0 {
		return dtypes[i].bits
	}
	return 0
}

// Size returns the number of bytes that n elements take. It returns false if d
// is not known, if n elements do not fill whole bytes, or on overflow.
func (d Dtype) Size(n int64) (int64, bool) {
	width := d.Bits()
	if width == 0 || n < 0 {
		return 0, false
	}
	size, fault := bitsToBytes(uint64(n), width)
	return int64(size), fault == ""
}

// bitsToBytes returns the number of bytes that n elements of the given width
// take, or the rule that is broken by there being so many. Like the reference
// implementation it refuses when the number of bits exceeds 64 bits, so the
// result is below 2^61.
func bitsToBytes(n uint64, width int) (size uint64, fault Rule) {
	hi, lo := bits.Mul64(n, uint64(width))
	if hi != 0 {
		return 0, RuleOverflow
	}
	if lo%8 != 0 {
		return 0, RuleWholeBytes
	}
	return lo / 8, ""
}
