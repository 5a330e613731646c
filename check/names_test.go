// Names of tensors in parts, and the arithmetic of packed shapes.

package check

import "testing"

func TestParse(t *testing.T) {
	for full, want := range map[string]name{
		"model.layers.3.mlp.up_proj.weight":               {"model.layers.3.mlp.up_proj", "weight", "model.layers", 3, "mlp.up_proj.weight"},
		"transformer.h.0.attn.bias":                       {"transformer.h.0.attn", "bias", "transformer.h", 0, "attn.bias"},
		"model.layers.12.mlp.experts.37.down_proj.weight": {"model.layers.12.mlp.experts.37.down_proj", "weight", "model.layers", 12, "mlp.experts.37.down_proj.weight"},
		"model.embed_tokens.weight":                       {"model.embed_tokens", "weight", "", -1, ""},
		"x":                                               {"", "x", "", -1, ""},
		"":                                                {"", "", "", -1, ""},
		".":                                               {"", "", "", -1, ""},
		"0.weight":                                        {"0", "weight", "", -1, ""}, // a number with nothing before it counts nothing
		"0.auto_model.1.w":                                {"0.auto_model.1", "w", "0.auto_model", 1, "w"},
		"a.65535.w":                                       {"a.65535", "w", "a", 65535, "w"},
		"a.65536.w":                                       {"a.65536", "w", "", -1, ""},
		"a.999999999999999999999.w":                       {"a.999999999999999999999", "w", "", -1, ""},
		"a.1":                                             {"a", "1", "", -1, ""},
		"a.-1.+2.3x.w":                                    {"a.-1.+2.3x", "w", "", -1, ""},
		"lora_unet_down_blocks_0_attn.alpha":              {"lora_unet_down_blocks_0_attn", "alpha", "", -1, ""},
	} {
		if got := parse(full); got != want {
			t.Errorf("parse(%q) = %+v, want %+v", full, got, want)
		}
	}
}
