// Kinds of dtypes, as far as they tell how weights are packed.

package parts

import "github.com/weightools/safetensors"

// Kinds is a set of kinds of dtypes.
type Kinds uint16

// The kinds of dtypes.
const (
	U8 Kinds = 1 << iota
	I8
	Int16
	Int32
	Int64
	Bool
	Float8 // except scales
	Scale8 // scales that are powers of two: F8_E8M0
	Float4 // floats of 4 and 6 bits
	Float  // floats and complex numbers of 16 bits or more
	Unknown

	Int8    = U8 | I8
	Integer = Int8 | Int16 | Int32
	Known   = Unknown - 1
)

// KindOf returns the kind of a dtype.
func KindOf(d safetensors.Dtype) Kinds {
	bits := d.Bits()
	switch class := d.Class(); class {
	case safetensors.ClassBool:
		return Bool
	case safetensors.ClassScale:
		return Scale8
	case safetensors.ClassComplex:
		return Float
	case safetensors.ClassFloat:
		switch {
		case bits < 8:
			return Float4
		case bits == 8:
			return Float8
		}
		return Float
	case safetensors.ClassUnsigned, safetensors.ClassSigned:
		switch bits {
		case 8:
			if class == safetensors.ClassSigned {
				return I8
			}
			return U8
		case 16:
			return Int16
		case 32:
			return Int32
		case 64:
			return Int64
		}
	}
	return Unknown
}
