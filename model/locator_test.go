package model

import "testing"

func TestLocator(t *testing.T) {
	l := NewLocator()
	for name, want := range map[string][2]string{
		"model.layers.12.mlp.up_proj.weight":      {"mlp", "model.layers.12"},
		"model.layers.3.self_attn.q_proj.weight":  {"attention", "model.layers.3"},
		"model.embed_tokens.weight":               {"embedding", ""},
		"lm_head.weight":                          {"head", ""},
		"h.0.ln_1.weight":                         {"norm", "h.0"},
		"transformer.h.7.attn.c_attn.weight":      {"attention", "transformer.h.7"},
		"model.layers.1.mlp.experts.5.w1.weight":  {"experts", "model.layers.1"},
		"encoder.block.2.layer.0.SelfAttention.q": {"attention", "encoder.block.2"},
	} {
		shape := []int64{4, 4}
		if want[0] == "norm" {
			shape = []int64{4}
		}
		if c, layer := l.Of(name, shape); string(c) != want[0] || layer != want[1] {
			t.Errorf("%s: %q of layer %q, want %q", name, c, layer, want)
		}
	}
}
