// Names of dtypes outside of the format.

package safetensors

import "strings"

// aliases are the dtypes by their names in PyTorch, NumPy, configurations and papers. The names of the format are not
// listed.
var aliases = map[string]Dtype{
	"boolean": BOOL,
	"uint8":   U8, "byte": U8, "uint16": U16, "uint32": U32, "uint64": U64,
	"int8": I8, "char": I8, "int16": I16, "short": I16, "int32": I32, "int": I32, "int64": I64, "long": I64,

	"fp16": F16, "float16": F16, "half": F16, "bfloat16": BF16, "bfloat": BF16,
	"fp32": F32, "float32": F32, "float": F32, "single": F32, "fp64": F64, "float64": F64, "double": F64,
	"complex64": C64, "cfloat": C64,

	"fp8": F8_E4M3, "float8": F8_E4M3, "f8": F8_E4M3, "e4m3": F8_E4M3, "e4m3fn": F8_E4M3, "fp8_e4m3": F8_E4M3,
	"fp8_e4m3fn": F8_E4M3, "float8_e4m3": F8_E4M3, "float8_e4m3fn": F8_E4M3, "f8_e4m3fn": F8_E4M3,
	"e5m2": F8_E5M2, "fp8_e5m2": F8_E5M2, "float8_e5m2": F8_E5M2,
	"e4m3fnuz": F8_E4M3FNUZ, "fp8_e4m3fnuz": F8_E4M3FNUZ, "float8_e4m3fnuz": F8_E4M3FNUZ,
	"e5m2fnuz": F8_E5M2FNUZ, "fp8_e5m2fnuz": F8_E5M2FNUZ, "float8_e5m2fnuz": F8_E5M2FNUZ,
	"e8m0": F8_E8M0, "e8m0fnu": F8_E8M0, "fp8_e8m0": F8_E8M0, "float8_e8m0": F8_E8M0, "float8_e8m0fnu": F8_E8M0,
	"f8_e8m0fnu": F8_E8M0,

	"fp4": F4, "float4": F4, "e2m1": F4, "fp4_e2m1": F4, "float4_e2m1fn": F4, "float4_e2m1fn_x2": F4,
	"e2m3": F6_E2M3, "fp6_e2m3": F6_E2M3, "float6_e2m3fn": F6_E2M3,
	"e3m2": F6_E3M2, "fp6_e3m2": F6_E3M2, "float6_e3m2fn": F6_E3M2,
}

// ParseDtype returns the dtype with the given name in any case. Besides the names of the format it knows those of
// PyTorch, NumPy and others: fp16, half, float16 and torch.float16 are F16. A plain fp8 is F8_E4M3, the format of
// weights. It returns false if it does not know the name.
func ParseDtype(name string) (Dtype, bool) {
	name = strings.TrimPrefix(strings.ToLower(name), "torch.")
	if d := Dtype(strings.ToUpper(name)); d.Bits() > 0 {
		return d, true
	}
	d, ok := aliases[strings.ReplaceAll(name, "-", "_")]
	return d, ok
}
