package safetensors_test

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// The names are those of PyTorch (torch.dtype and its aliases), NumPy, ml_dtypes and the OCP formats.
func TestParseDtype(t *testing.T) {
	for want, names := range map[safetensors.Dtype]string{
		safetensors.F16:         "F16 f16 fp16 FP16 float16 half torch.float16 torch.half Float16",
		safetensors.BF16:        "bf16 bfloat16 BFLOAT16 torch.bfloat16",
		safetensors.F32:         "fp32 float32 float single torch.float",
		safetensors.F64:         "fp64 float64 double",
		safetensors.F8_E4M3:     "fp8 e4m3 E4M3 float8_e4m3fn torch.float8_e4m3fn fp8_e4m3 fp8-e4m3 F8_E4M3",
		safetensors.F8_E5M2:     "e5m2 float8_e5m2 fp8_e5m2",
		safetensors.F8_E4M3FNUZ: "float8_e4m3fnuz",
		safetensors.F8_E5M2FNUZ: "float8_e5m2fnuz",
		safetensors.F8_E8M0:     "e8m0 float8_e8m0fnu",
		safetensors.F4:          "fp4 e2m1 float4_e2m1fn_x2",
		safetensors.F6_E2M3:     "e2m3 float6_e2m3fn",
		safetensors.F6_E3M2:     "e3m2 float6_e3m2fn",
		safetensors.I8:          "int8 char",
		safetensors.I16:         "int16 short",
		safetensors.I32:         "int32 int",
		safetensors.I64:         "int64 long torch.long",
		safetensors.U8:          "uint8 byte",
		safetensors.U16:         "uint16",
		safetensors.U32:         "uint32",
		safetensors.U64:         "uint64",
		safetensors.BOOL:        "bool boolean torch.bool",
		safetensors.C64:         "complex64 cfloat",
	} {
		for name := range strings.FieldsSeq(names) {
			if got, ok := safetensors.ParseDtype(name); got != want || !ok {
				t.Errorf("ParseDtype(%q) = %q, %v, want %s", name, got, ok, want)
			}
		}
	}
	for d := range safetensors.Dtypes() {
		if got, ok := safetensors.ParseDtype(strings.ToLower(string(d))); got != d || !ok {
			t.Errorf("ParseDtype(%q) = %q, %v", strings.ToLower(string(d)), got, ok)
		}
	}
	for _, name := range []string{"", "torch.", "fp17", "F", "Q4_K", "complex128", "torch.torch.half", "float 16"} {
		if got, ok := safetensors.ParseDtype(name); got != "" || ok {
			t.Errorf("ParseDtype(%q) = %q, %v", name, got, ok)
		}
	}
}
