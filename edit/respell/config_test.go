package respell

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// Params.json is made of config.json and the reverse, where all of it is certain.
func TestConfigure(t *testing.T) {
	const config = `{"model_type": "mistral", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
		"num_key_value_heads": 2, "intermediate_size": 16, "vocab_size": 16, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0`
	const params = `{"dim": 16, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": -1, "norm_eps": 1e-05`
	for _, test := range []struct{ name, form, file, text, has, note string }{
		{"mistral", "mistral", configName, config + `}`, `"head_dim": 4`, ""},
		{"mistral", "mistral", configName, config + `, "sliding_window": 64, "tie_word_embeddings": true}`, `"tied_embeddings": true`, ""},
		{"mistral", "mistral", configName, config + `, "rope_parameters": {"rope_type": "yarn"}}`, "", `scaled ("yarn")`},
		{"mistral", "mistral", configName, `{"model_type": "mistral", "num_attention_heads": 4}`, "", "lacks hidden_size"},
		{"mistral", "mistral", configName, `{"num_attention_heads": 4, "hidden_size": 6}`, "", "lacks"},
		{"mixtral", "mistral", configName, strings.Replace(config, "mistral", "mixtral", 1) + `}`, "", "num_local_experts"},
		{"mixtral", "mistral", configName, strings.Replace(config, "mistral", "mixtral", 1) +
			`, "num_local_experts": 3, "num_experts_per_tok": 2}`, `"num_experts": 3`, ""},
		{"mistral", "transformers", paramsName, params + `}`, `"MistralForCausalLM"`, ""},
		{"mistral", "transformers", paramsName, params + `, "multiple_of": 256}`, `"vocab_size": 16`, ""},
		{"mistral", "transformers", paramsName, params + `, "multiple_of": 256}`, `"LlamaForCausalLM"`, ""},
		{"mistral", "transformers", paramsName, params + `, "multiple_of": 256, "use_scaled_rope": true}`, "", "use_scaled_rope"},
		{"mixtral", "transformers", paramsName, params + `, "hidden_dim": 16, "moe": {"num_experts": 3}}`, `"num_local_experts": 3`, ""},
		{"mistral", "transformers", paramsName, `{"n_heads": 4, "n_kv_heads": 2}`, "", "params.json lacks dim"},
	} {
		var l *layout
		for i := range layouts() {
			if layouts()[i].file == test.name {
				l = &layouts()[i]
			}
		}
		tensors := tensorsOf(t, l)
		if test.form == "transformers" {
			tensors = respelled(t, "mistral", tensors, "")
		}
		out, err := arrangeWith(t, test.form, tensors, test.file, test.text)
		if err != nil {
			t.Fatal(err)
		}
		made := configName
		if test.file == configName {
			made = paramsName
		}
		if text := string(out.Texts[made]); (test.has == "") != (text == "") || !strings.Contains(text, test.has) ||
			text != "" && !json.Valid([]byte(text)) {
			t.Errorf("%s to %s, %s: %s %q, want %q", test.name, test.form, test.text, text, out.Notes, test.has)
		}
		if notes := strings.Join(out.Notes, "\n"); (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
			t.Errorf("%s: %q, want %q", test.text, notes, test.note)
		}
	}
}

// arrangeWith gives tensors the names of a form, with one file beside them.
func arrangeWith(t *testing.T, form string, tensors []*safetensors.Tensor, file, text string) (*edit.Output, error) {
	t.Helper()
	arrange, err := To(form)
	if err != nil {
		t.Fatal(err)
	}
	return arrange(&edit.Input{Tensors: tensors, Beside: func(name string) ([]byte, error) {
		if name != file {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}})
}
