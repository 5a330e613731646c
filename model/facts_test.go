// Architectures: what configurations and headers of published models prove.

package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// headers returns a model of tensors: a name and a shape for each.
func headers(config string, tensors ...any) *Model {
	h := new(safetensors.Header)
	for i := 0; i < len(tensors); i += 2 {
		ti := safetensors.TensorInfo{Name: tensors[i].(string), Dtype: "BF16", Shape: tensors[i+1].([]int64)}
		ti.Offsets.End = 2 * ti.NumElems()
		h.Tensors = append(h.Tensors, ti)
	}
	return &Model{Files: []File{{Header: h}}, Config: []byte(config)}
}

// layered returns the tensors of a stack.
func layered(stack string, n int) (tensors []any) {
	for i := range n {
		tensors = append(tensors, fmt.Sprintf("%s.%d.norm.weight", stack, i), []int64{8})
	}
	return tensors
}

func TestArchitecture(t *testing.T) {
	const llama = `{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":64,"num_hidden_layers":3,"num_attention_heads":8,"num_key_value_heads":2,"vocab_size":100}`
	embedding := []any{"model.embed_tokens.weight", []int64{100, 64}}
	for _, tt := range []struct {
		name  string
		model *Model
		want  Facts
		notes int
	}{
		{"both agree", headers(llama, append(layered("model.layers", 3), embedding...)...), Facts{
			Name: Text{"LlamaForCausalLM", FromConfig}, Type: Text{"llama", FromConfig}, Layers: Number{3, FromConfig}, Hidden: Number{64, FromConfig},
			Vocab: Number{100, FromConfig}, Heads: Number{8, FromConfig}, KVHeads: Number{2, FromConfig}, HeadSize: Number{8, FromConfig},
		}, 0},
		{"headers alone", headers("", append(layered("model.layers", 3), embedding...)...), Facts{
			Layers: Number{3, FromHeaders}, Hidden: Number{64, FromHeaders}, Vocab: Number{100, FromHeaders},
		}, 0},
		{"configuration alone", headers(llama), Facts{
			Name: Text{"LlamaForCausalLM", FromConfig}, Type: Text{"llama", FromConfig}, Layers: Number{3, FromConfig}, Hidden: Number{64, FromConfig},
			Vocab: Number{100, FromConfig}, Heads: Number{8, FromConfig}, KVHeads: Number{2, FromConfig}, HeadSize: Number{8, FromConfig},
		}, 0},
		{"fewer layers than are said", headers(`{"num_hidden_layers":3}`, layered("model.layers", 2)...), Facts{Layers: Number{0, Ambiguous}}, 1},
		{"a layer more, as for MTP", headers(`{"num_hidden_layers":3}`, layered("model.layers", 4)...), Facts{Layers: Number{3, FromConfig}}, 0},
		{"another width, by a projection", headers(`{"hidden_size":32}`, append(embedding, "albert.encoder.embedding_hidden_mapping_in.weight", []int64{32, 64})...), Facts{Hidden: Number{32, FromConfig}, Vocab: Number{100, FromHeaders}}, 0},
		{"another width", headers(`{"hidden_size":32,"vocab_size":100}`, embedding...), Facts{Hidden: Number{0, Ambiguous}, Vocab: Number{100, FromConfig}}, 1},
		{"another width, and no tokens", headers(`{"hidden_size":32}`, embedding...), Facts{Hidden: Number{32, FromConfig}, Vocab: Number{100, FromHeaders}}, 0},
		{"an embedding that is padded", headers(`{"vocab_size":97}`, embedding...), Facts{Hidden: Number{64, FromHeaders}, Vocab: Number{97, FromConfig}}, 0},
		{"an embedding that is too small", headers(`{"vocab_size":101}`, embedding...), Facts{Hidden: Number{64, FromHeaders}, Vocab: Number{0, Ambiguous}}, 1},
		{"two stacks", headers("", append(layered("model.layers", 3), layered("visual.blocks", 2)...)...), Facts{}, 0},
		{"two stacks, one of which is said", headers(`{"text_config":{"num_hidden_layers":3}}`, append(layered("model.layers", 3), layered("visual.blocks", 2)...)...), Facts{Layers: Number{3, FromConfig}}, 0},
		{"a list with the kind of each layer", headers(`{"layers_block_type":["mamba","moe","attention"]}`, layered("model.layers", 3)...), Facts{Layers: Number{3, FromConfig}}, 0},
		{"layers that run twice", headers(`{"num_hidden_layers":6,"n_recurrent_loops":2}`, layered("model.layers", 3)...), Facts{Layers: Number{6, FromConfig}}, 0},
		{"two embeddings of one shape", headers("", "a.embed_tokens.weight", []int64{10, 4}, "b.embed_tokens.weight", []int64{10, 4}), Facts{Hidden: Number{4, FromHeaders}, Vocab: Number{10, FromHeaders}}, 0},
		{"two embeddings of two shapes", headers("", "a.embed_tokens.weight", []int64{10, 4}, "b.embed_tokens.weight", []int64{11, 4}), Facts{Hidden: Number{4, FromHeaders}, Vocab: Number{0, Ambiguous}}, 0},
		{"a part of a pipeline", headers(`{"_class_name":"UNet2DConditionModel"}`), Facts{Name: Text{"UNet2DConditionModel", FromConfig}}, 0},
		{"nothing", headers(""), Facts{}, 0},
		{"no JSON", headers("{"), Facts{}, 1},
	} {
		got := FactsOf(tt.model)
		if len(got.Notes) != tt.notes {
			t.Errorf("%s: notes %q", tt.name, got.Notes)
		}
		got.Notes, got.Stacks = nil, nil
		if fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", tt.want) {
			t.Errorf("%s:\n%+v, want\n%+v", tt.name, *got, tt.want)
		}
		if got.Known() == (fmt.Sprintf("%+v", *got) == fmt.Sprintf("%+v", Facts{})) {
			t.Errorf("%s: known is %v", tt.name, got.Known())
		}
	}
}

func TestStacks(t *testing.T) {
	m := headers("", slices.Concat(layered("model.layers", 3), layered("visual.blocks", 2), []any{"proj.0.weight", []int64{1}, "model.layers.0.experts.7.w", []int64{1}})...)
	if got := fmt.Sprint(FactsOf(m).Stacks); got != "[{model.layers 3} {visual.blocks 2}]" {
		t.Errorf("stacks %s", got)
	}
}

// A name of a megabyte, a million stacks: what is kept is bounded.
func TestHostileNames(t *testing.T) {
	var tensors []any
	for i := range 10_000 {
		tensors = append(tensors, fmt.Sprintf("s%d.1.x", i), []int64{1}, fmt.Sprintf("s%d.2.x", i), []int64{1})
	}
	tensors = append(tensors, strings.Repeat("a.1.", 1<<18), []int64{1})
	if n := len(FactsOf(headers("", tensors...)).Stacks); n > maxStacks {
		t.Errorf("%d stacks are kept", n)
	}
}
