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
	E8M0   // scales
	Float4 // floats of 4 and 6 bits
	Float
	Unknown

	Int8    = U8 | I8
	Integer = Int8 | Int16 | Int32
	Known   = Unknown - 1
)

// KindOf returns the kind of a dtype.
func KindOf(d safetensors.Dtype) Kinds {
	switch d {
	case safetensors.BF16, safetensors.F16, safetensors.F32, safetensors.F64, safetensors.C64:
		return Float
	case safetensors.U8:
		return U8
	case safetensors.I8:
		return I8
	case safetensors.I32, safetensors.U32:
		return Int32
	case safetensors.I16, safetensors.U16:
		return Int16
	case safetensors.I64, safetensors.U64:
		return Int64
	case safetensors.BOOL:
		return Bool
	case safetensors.F8_E4M3, safetensors.F8_E5M2, safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ:
		return Float8
	case safetensors.F8_E8M0:
		return E8M0
	case safetensors.F4, safetensors.F6_E2M3, safetensors.F6_E3M2:
		return Float4
	}
	return Unknown
}
