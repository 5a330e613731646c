package plain_test

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/plain"
)

// input returns a model of tensors of zeros, with the text of config.json.
func input(t *testing.T, config string, infos ...safetensors.TensorInfo) *edit.Input {
	in := &edit.Input{Beside: func(name string) ([]byte, error) {
		if name == "config.json" && config != "" {
			return []byte(config), nil
		}
		return nil, fs.ErrNotExist
	}, Merged: func() map[string]string {
		return map[string]string{"format": "pt", "x.weight": "{}", "_quantization_metadata": "{}"}
	}}
	for _, ti := range infos {
		n, _ := ti.Dtype.Size(ti.NumElems())
		x, err := safetensors.TensorAt(ti.Name, ti.Dtype, ti.Shape, bytes.NewReader(make([]byte, n)))
		if err != nil {
			t.Fatal(err)
		}
		in.Tensors = append(in.Tensors, x)
	}
	return in
}

var fp8 = []safetensors.TensorInfo{
	{Name: "x.weight", Dtype: safetensors.F8_E4M3, Shape: []int64{2, 4}},
	{Name: "x.weight_scale", Dtype: safetensors.F32},
	{Name: "norm.weight", Dtype: safetensors.BF16, Shape: []int64{4}},
}

// The settings of packed weights are removed from config.json, and nothing else changes.
func TestConfig(t *testing.T) {
	for _, test := range [][2]string{
		{`{"a": 1, "quantization_config": {"quant_method": "fp8"}, "b": [2, 3]}`, `{"a": 1, "b": [2, 3]}`},
		{`{"a": 1, "quantization_config": {"quant_method": "fp8"}}`, `{"a": 1}`},
		{`{"quantization_config": {"quant_method": "fp8"}, "a": 1}`, `{ "a": 1}`},
		{`{ "quantization_config": {} }`, `{ }`},
		{"{\n  \"a\": 1,\n  \"quantization\": {},\n  \"quantization_config\": {},\n  \"expert_dtype\": \"fp4\"\n}\n", "{\n  \"a\": 1\n}\n"},
		{`{"text_config": {"dtype": "bfloat16", "quantization_config": {}}, "dtype": "float8_e4m3fn"}`,
			`{"text_config": {"dtype": "float32"}, "dtype": "float32"}`},
	} {
		out, err := plain.Unpack(plain.Options{})(input(t, test[0], fp8...))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Texts["config.json"]); got != test[1] {
			t.Errorf("%s becomes %s, want %s", test[0], got, test[1])
		}
		if len(out.Unset) != 2 {
			t.Errorf("metadata to remove: %q", out.Unset)
		}
	}
	out, err := plain.Unpack(plain.Options{})(input(t, `{"a": 1, "dtype": "float32"}`, fp8...))
	if _, ok := out.Texts["config.json"]; ok || err != nil {
		t.Error("a configuration that is right is written:", err)
	}
	if _, err := plain.Unpack(plain.Options{})(input(t, `[]`, fp8...)); err == nil || !strings.Contains(err.Error(), "not a JSON object") {
		t.Error(err)
	}
}

func TestTensors(t *testing.T) {
	out, err := plain.Unpack(plain.Options{Cast: []edit.Cast{{To: safetensors.F16}}})(input(t, "", fp8...))
	if err != nil || len(out.Tensors) != 2 {
		t.Fatal(out, err)
	}
	x, norm := out.Tensors[0], out.Tensors[1]
	if x.Name != "x.weight" || x.Dtype != safetensors.F16 || x.How != "unpacked from fp8" || len(x.From) != 2 {
		t.Error(x)
	}
	if norm.Dtype != safetensors.F16 || norm.How != "cast" {
		t.Error(norm)
	}
	if _, err := plain.Unpack(plain.Options{Cast: []edit.Cast{{From: safetensors.I64, To: safetensors.I32}}})(input(t, "", fp8...)); !errors.Is(err, edit.ErrRefused) {
		t.Error(err)
	}
	if _, err := plain.Unpack(plain.Options{})(input(t, "", fp8[2])); err == nil {
		t.Error("nothing is packed")
	}
	odd := append([]safetensors.TensorInfo{{Name: "x.theta", Dtype: safetensors.F32, Shape: []int64{4}}}, fp8...)
	if _, err := plain.Unpack(plain.Options{})(input(t, "", odd...)); err == nil || !strings.Contains(err.Error(), "x.theta") {
		t.Error(err)
	}
}
