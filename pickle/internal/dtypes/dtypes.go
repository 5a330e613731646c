// Dtypes of PyTorch and NumPy, and their equivalents in safetensors.

// Package dtypes maps the dtypes of PyTorch and NumPy to dtypes of safetensors.
package dtypes

import (
	"strings"

	"github.com/weightools/safetensors"
)

// named maps names in module torch to dtypes of safetensors.
var named = map[string]safetensors.Dtype{
	"float64": safetensors.F64, "double": safetensors.F64, "float32": safetensors.F32, "float": safetensors.F32,
	"float16": safetensors.F16, "half": safetensors.F16, "bfloat16": safetensors.BF16,
	"int64": safetensors.I64, "long": safetensors.I64, "int32": safetensors.I32, "int": safetensors.I32,
	"int16": safetensors.I16, "short": safetensors.I16, "int8": safetensors.I8, "uint8": safetensors.U8,
	"uint16": safetensors.U16, "uint32": safetensors.U32, "uint64": safetensors.U64, "bool": safetensors.BOOL,
	"complex64":     safetensors.C64,
	"float8_e4m3fn": safetensors.F8_E4M3, "float8_e5m2": safetensors.F8_E5M2, "float8_e8m0fnu": safetensors.F8_E8M0,
	"float8_e4m3fnuz": safetensors.F8_E4M3FNUZ, "float8_e5m2fnuz": safetensors.F8_E5M2FNUZ,
}

// Named returns the dtype for a name in module torch; ok is false if safetensors lacks it.
func Named(name string) (d safetensors.Dtype, ok bool) {
	d, ok = named[strings.TrimPrefix(name, "torch.")]
	return d, ok
}

// SwapOf returns the number of bytes to reverse in big-endian data: an element, or half of a complex number.
func SwapOf(d safetensors.Dtype) int {
	if d == safetensors.C64 {
		return 4
	}
	return d.Bits() / 8
}

// ofArrays are the dtypes that safetensors has, without byte order. Package ml_dtypes adds those with longer names.
var ofArrays = map[string]safetensors.Dtype{
	"b1": safetensors.BOOL, "?": safetensors.BOOL, "u1": safetensors.U8, "i1": safetensors.I8,
	"u2": safetensors.U16, "i2": safetensors.I16, "f2": safetensors.F16,
	"u4": safetensors.U32, "i4": safetensors.I32, "f4": safetensors.F32,
	"u8": safetensors.U64, "i8": safetensors.I64, "f8": safetensors.F64, "c8": safetensors.C64,

	"bfloat16": safetensors.BF16, "float8_e4m3fn": safetensors.F8_E4M3, "float8_e5m2": safetensors.F8_E5M2,
	"float8_e4m3fnuz": safetensors.F8_E4M3FNUZ, "float8_e5m2fnuz": safetensors.F8_E5M2FNUZ,
	"float8_e8m0fnu": safetensors.F8_E8M0,
}

// OfArray parses a dtype such as "<f4" or "bfloat16"; big reports whether it is big-endian.
func OfArray(descr string) (d safetensors.Dtype, big, ok bool) {
	d, ok = ofArrays[strings.TrimLeft(descr, "<>|=")]
	return d, strings.HasPrefix(descr, ">"), ok && len(strings.TrimLeft(descr, "<>|=")) >= len(descr)-1
}
