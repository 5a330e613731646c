// The dtypes of the format.

package safetensors

import (
	"iter"
	"math/bits"
)

// A Dtype names the type of a tensor's elements, as spelled in headers. It may be
// one that this package does not know.
type Dtype string

// The dtypes of version 0.8.0 of the reference implementation, in its order.
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
	C64         Dtype = "C64" // two F32: the real part, then the imaginary part
	F64         Dtype = "F64" // IEEE 754 binary64
	I64         Dtype = "I64"
	U64         Dtype = "U64"
)

// A Class is the kind of numbers that a dtype holds.
type Class string

// The classes.
const (
	ClassBool     Class = "bool"     // 0 and 1
	ClassUnsigned Class = "unsigned" // integers from 0
	ClassSigned   Class = "signed"   // integers in two's complement
	ClassFloat    Class = "float"
	ClassScale    Class = "scale"   // powers of two, which scale blocks of other elements
	ClassComplex  Class = "complex" // pairs of floats
)

// dtypes has a row for each dtype, in the order of the reference implementation,
// by which writers sort: see rank. The codec of each is in internal/num.
var dtypes = [...]struct {
	name  Dtype
	bits  int
	class Class
}{
	{BOOL, 8, ClassBool},
	{F4, 4, ClassFloat},
	{F6_E2M3, 6, ClassFloat},
	{F6_E3M2, 6, ClassFloat},
	{U8, 8, ClassUnsigned},
	{I8, 8, ClassSigned},
	{F8_E5M2, 8, ClassFloat},
	{F8_E4M3, 8, ClassFloat},
	{F8_E8M0, 8, ClassScale},
	{F8_E4M3FNUZ, 8, ClassFloat},
	{F8_E5M2FNUZ, 8, ClassFloat},
	{I16, 16, ClassSigned},
	{U16, 16, ClassUnsigned},
	{F16, 16, ClassFloat},
	{BF16, 16, ClassFloat},
	{I32, 32, ClassSigned},
	{U32, 32, ClassUnsigned},
	{F32, 32, ClassFloat},
	{C64, 64, ClassComplex},
	{F64, 64, ClassFloat},
	{I64, 64, ClassSigned},
	{U64, 64, ClassUnsigned},
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

// Class returns the kind of numbers that d holds, or "" if d is not known.
func (d Dtype) Class() Class {
	if i := d.rank(); i >= 0 {
		return dtypes[i].class
	}
	return ""
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
