package viewer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/look"
)

// fp8 writes a model with an FP8 weight of two blocks and returns its folder.
func fp8(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	bits := make([]uint8, 128*256)
	for i := range bits {
		bits[i] = uint8(0x30 + i%8) // 0.5 and more
	}
	w, err := safetensors.NewTensor("model.layers.0.mlp.up_proj.weight", bits, 128, 256)
	if err != nil {
		t.Fatal(err)
	}
	w.Dtype = safetensors.F8_E4M3
	scale, err := safetensors.NewTensor("model.layers.0.mlp.up_proj.weight_scale_inv", []float32{2, -4}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := safetensors.NewTensor("model.norm.weight", []float32{1, 2, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	config := `{"architectures": ["DeepseekV3ForCausalLM"], "quantization_config":
		{"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}}`
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(filepath.Join(folder, "model.safetensors"), w, scale, plain); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A packed weight is shown as the values that it represents, with its parts.
func TestPacked(t *testing.T) {
	folder := fp8(t)
	v := open(t, folder)
	one := ask(t, v, "/api/tensor?name=model.layers.0.mlp.up_proj.weight")
	weight, _ := one["weight"].(map[string]any)
	if text, _ := json.Marshal(one["views"]); string(text) != `["weight","stored"]` ||
		len(weight["parts"].([]any)) != 2 {
		t.Fatalf("%v", one)
	}
	id := "id=" + one["id"].(json.Number).String()
	if text := ask(t, v, "/api/slice?slice=0,126:130&"+id)["text"]; text != "[1.75, 1.875, -2, -2.25]\n" {
		t.Errorf("the values are %q", text)
	}
	if text := ask(t, v, "/api/slice?as=stored&slice=0,126:130&"+id)["text"]; text != "[0.875, 0.9375, 0.5, 0.5625]\n" {
		t.Errorf("the stored values are %q", text)
	}
	stats := ask(t, v, "/api/stats?bins=4&"+id)["tensors"].([]any)[0].(map[string]any)
	if stats["min"] != json.Number("-3.75") || stats["dtype"] != "F32" {
		t.Errorf("statistics: %v", stats)
	}
	for _, path := range []string{"/api/plane?", "/api/tile?", "/api/norms?", "/api/extremes?"} {
		if w := get(t, v, path+id); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	rows := get(t, v, "/api/rows?flag=packed").Body.String()
	if !strings.Contains(rows, `"total":2,`) {
		t.Errorf("packed tensors: %s", rows)
	}
	name := one["name"].(string)
	if cat := string(printed(t, look.Cat, folder, name+"[0,126:130]")); cat != "[1.75, 1.875, -2, -2.25]\n" {
		t.Errorf("cat prints %q", cat)
	}
	cat := string(printed(t, look.Cat, "--packed", folder, name+"[0,126:130]"))
	if cat != "[0.875, 0.9375, 0.5, 0.5625]\n" {
		t.Errorf("cat --packed prints %q", cat)
	}
	same(t, name, ask(t, v, "/api/stats?bins=64&"+id), object(t, printed(t, look.Stats, folder, name, "--json")),
		"tensors")
	command := ask(t, v, "/api/tensor?as=stored&"+id)["command"]
	if !strings.HasPrefix(command.(string), "weigh cat --packed ") {
		t.Errorf("the command is %q", command)
	}
}
