// Output layers that are written out, and dropped again.

package tie_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/tie"
)

// inputOf returns an input of tensors of four numbers, which begin with the length of the text behind "=".
func inputOf(t *testing.T, config string, list ...string) *edit.Input {
	t.Helper()
	in := &edit.Input{Files: 1, Beside: func(name string) ([]byte, error) {
		if name != "config.json" || config == "" {
			return nil, fs.ErrNotExist
		}
		return []byte(config), nil
	}}
	for _, one := range list {
		name, text, _ := strings.Cut(one, "=")
		made, err := safetensors.NewTensor(name, []float32{float32(len(text)), 1, 2, 3}, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		in.Tensors = append(in.Tensors, made)
	}
	return in
}

func TestTie(t *testing.T) {
	const llama = `{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "tie_word_embeddings": true}`
	untied := strings.Replace(llama, "true", "false", 1)
	body := []string{"model.embed_tokens.weight", "model.norm.weight"}
	for _, test := range []struct {
		name   string
		do     func(*edit.Input) (*edit.Output, error)
		config string
		list   []string
		names  string // of the output
		text   string // of config.json; "" if it stays
		fails  string
	}{
		{"write the output layer", tie.Untie, llama, body, "model.embed_tokens.weight model.norm.weight lm_head.weight", untied, ""},
		{"in two parts of a configuration", tie.Untie, `{"tie_word_embeddings":true,"text_config":{"model_type":"x","tie_word_embeddings" : true}}`,
			[]string{"language_model.model.embed_tokens.weight"}, "language_model.model.embed_tokens.weight language_model.lm_head.weight",
			`{"tie_word_embeddings":false,"text_config":{"model_type":"x","tie_word_embeddings" : false}}`, ""},
		{"a setting that is missing", tie.Untie, `{"model_type": "gpt2"}`, []string{"transformer.wte.weight"}, "transformer.wte.weight lm_head.weight",
			"{\n  \"tie_word_embeddings\": false,\"model_type\": \"gpt2\"}", ""},
		{"an output layer that is there", tie.Untie, llama, append(body, "lm_head.weight"), "", "", `"lm_head.weight" is already there`},
		{"no embedding", tie.Untie, llama, body[1:], "", "", `there is no embedding of tokens, such as "model.embed_tokens.weight"`},
		{"no configuration", tie.Untie, "", body, "", "", "there is no config.json beside the weights"},
		{"drop the output layer", tie.Tie, untied, append(body, "lm_head.weight"), "model.embed_tokens.weight model.norm.weight", llama, ""},
		{"a setting that is right", tie.Tie, llama, append(body, "lm_head.weight"), "model.embed_tokens.weight model.norm.weight", "", ""},
		{"other values", tie.Tie, untied, append(body, "lm_head.weight=x"), "", "", `"lm_head.weight" differs from "model.embed_tokens.weight"`},
		{"no output layer", tie.Tie, untied, body, "", "", "there is no output layer beside an embedding"},
	} {
		out, err := test.do(inputOf(t, test.config, test.list...))
		if err != nil || test.fails != "" {
			if err == nil || test.fails == "" || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		var list []string
		for _, made := range out.Tensors {
			list = append(list, made.Name)
		}
		if got := strings.Join(list, " "); got != test.names {
			t.Errorf("%s: %s, want %s", test.name, got, test.names)
		}
		if got := string(out.Texts["config.json"]); got != test.text {
			t.Errorf("%s: %s, want %s", test.name, got, test.text)
		}
	}
}
