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

// Numbers by hand: 32 bits a word, rounded up.
func TestBitsOf(t *testing.T) {
	for _, test := range []struct{ words, numbers, told, want int64 }{
		{8, 64, 0, 4},        // 64 * 4 / 32
		{384, 4096, 0, 3},    // 4096 * 3 / 32
		{4001, 32001, 0, 4},  // 32001 * 4 / 32 = 4000.125
		{8001, 32001, 8, 8},  // 32001 * 8 / 32 = 8000.25
		{1, 1, 8, 8},         // any fits, and 8 is told
		{1, 1, 0, 2},         // any fits
		{9, 64, 0, 0},        // 4 bits make 8, and 5 make 10
		{1000, 64, 4, 0},     // no number of bits makes so many
		{2, 1 << 40, 4, 0},   // nor so few
		{64, 64, 0, 0},       // 32 bits are not packed
		{16, 64, 4, 8},       // what is told does not fit
		{4096, 4096, 32, 32}, // what is told is taken as it is
	} {
		if got := bitsOf(test.words, test.numbers, test.told); got != test.want {
			t.Errorf("bitsOf(%d, %d, %d) = %d, want %d", test.words, test.numbers, test.told, got, test.want)
		}
	}
}

// 576 rows in tiles of 128 are 5, of which the last has 64.
func TestTiles(t *testing.T) {
	for _, test := range []struct {
		n, of int64
		want  bool
	}{{7168, 56, true}, {576, 5, true}, {10, 6, false}, {10, 5, true}, {10, 10, true}, {10, 11, false}, {1, 1, true}} {
		if got := isDivided(test.n, test.of); got != test.want {
			t.Errorf("isDivided(%d, %d) = %v", test.n, test.of, got)
		}
	}
}
