// Dtypes of PyTorch and their equivalents in safetensors.

package torch

import (
	"strings"

	"github.com/weightools/safetensors"
)

// storageDtypes maps storage classes to dtypes. The name excludes the module, because GPU storages have the same names
// in torch.cuda.
var storageDtypes = map[string]string{
	"DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
	"LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
	"ByteStorage": "uint8", "BoolStorage": "bool",
	"ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
	"QInt8Storage": "qint8", "QUInt8Storage": "quint8", "QInt32Storage": "qint32",
	"QUInt4x2Storage": "quint4x2", "QUInt2x4Storage": "quint2x4",
}

// dtypes maps names in module torch to dtypes of safetensors.
var dtypes = map[string]safetensors.Dtype{
	"float64": safetensors.F64, "double": safetensors.F64, "float32": safetensors.F32, "float": safetensors.F32,
	"float16": safetensors.F16, "half": safetensors.F16, "bfloat16": safetensors.BF16,
	"int64": safetensors.I64, "long": safetensors.I64, "int32": safetensors.I32, "int": safetensors.I32,
	"int16": safetensors.I16, "short": safetensors.I16, "int8": safetensors.I8, "uint8": safetensors.U8,
	"uint16": safetensors.U16, "uint32": safetensors.U32, "uint64": safetensors.U64, "bool": safetensors.BOOL,
	"complex64":     safetensors.C64,
	"float8_e4m3fn": safetensors.F8_E4M3, "float8_e5m2": safetensors.F8_E5M2, "float8_e8m0fnu": safetensors.F8_E8M0,
	"float8_e4m3fnuz": safetensors.F8_E4M3FNUZ, "float8_e5m2fnuz": safetensors.F8_E5M2FNUZ,
}

// dtypeOf returns the dtype for a name in module torch, or an error if safetensors lacks it.
func dtypeOf(name string) (safetensors.Dtype, error) {
	name = strings.TrimPrefix(name, "torch.")
	if d, ok := dtypes[name]; ok {
		return d, nil
	}
	return "", unsupportedf("a tensor of %s, a dtype that safetensors lacks", quoted(name))
}

// swapOf returns the number of bytes to reverse in big-endian data: an element, or half of a complex number.
func swapOf(d safetensors.Dtype) int {
	if d == safetensors.C64 {
		return 4
	}
	return d.Bits() / 8
}
