// The dtypes of the format.

package safetensors

import (
	"iter"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/num"
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

// Dtypes yields the dtypes that this package knows, in the order of the
// reference implementation.
func Dtypes() iter.Seq[Dtype] {
	return func(yield func(Dtype) bool) {
		for name := range num.Dtypes() {
			if !yield(Dtype(name)) {
				return
			}
		}
	}
}

// Bits returns the width of one element: 4, 6, 8, 16, 32 or 64, or 0 if d is
// not known.
func (d Dtype) Bits() int {
	if c := num.For(string(d)); c != nil {
		return c.Bits() * c.Parts()
	}
	return 0
}

var classOf = [...]Class{
	num.Bool: ClassBool, num.Unsigned: ClassUnsigned, num.Signed: ClassSigned, num.Float: ClassFloat,
}

// Class returns the kind of numbers that d holds, or "" if d is not known.
func (d Dtype) Class() Class {
	c := num.For(string(d))
	switch {
	case c == nil:
		return ""
	case c.Parts() > 1:
		return ClassComplex
	case c.IsScale():
		return ClassScale
	}
	return classOf[c.Kind()]
}

// Size returns the number of bytes that n elements take. It returns false if d
// is not known, if n elements do not fill whole bytes, or on overflow.
func (d Dtype) Size(n int64) (int64, bool) {
	width := d.Bits()
	if width == 0 || n < 0 {
		return 0, false
	}
	size, broken := header.Bytes(uint64(n), width)
	return int64(size), broken == header.None
}
