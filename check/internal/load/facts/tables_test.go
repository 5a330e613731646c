// The form of the tables.

package facts

import (
	"slices"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	for _, table := range []struct {
		name, text  string
		flags, fits string // known words; of names that it must have
	}{
		{"llamacpp.txt", llamaCPPText, "", "LlamaForCausalLM Qwen3MoeForCausalLM GptOssForCausalLM"},
		{"mlx.txt", mlxText, "drops refuses fp8 packed vision", "llama qwen3_moe idefics3"},
		{"ollama.txt", ollamaText, "pre", "LlamaForCausalLM BertModel"},
		{"diffusers.txt", diffusersText, "model scheduler", "FluxPipeline UNet2DConditionModel DDIMScheduler"},
	} {
		words := parseTable(table.text)
		for _, name := range strings.Fields(table.fits) {
			if _, ok := words[name]; !ok {
				t.Errorf("%s has no %s", table.name, name)
			}
		}
		seen := make(map[string]bool)
		for line := range strings.Lines(table.text) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if line[0] == '#' || line[0] == ' ' {
				continue
			}
			if seen[name] || len(line) > 120 {
				t.Errorf("%s: %q is there twice, or its line is too long", table.name, name)
			}
			seen[name] = true
		}
		for name, list := range words {
			for _, word := range list {
				if word == "needs" || word == "=" {
					break
				}
				if !slices.Contains(strings.Fields(table.flags), word) && !strings.HasPrefix(word, "theta=") || name == "" {
					t.Errorf("%s: %q of %q is no known word", table.name, word, name)
				}
			}
		}
		if !strings.Contains(table.text, "# Source: ") && !strings.Contains(table.text, " Source: ") {
			t.Errorf("%s cites no source", table.name)
		}
	}
	for name, list := range mlxTypes() {
		if _, ok := MLX(name); len(list) == 2 && list[0] == "=" && !ok {
			t.Errorf("mlx.txt: %s is loaded as %s, which is not there", name, list[1])
		}
	}
}
