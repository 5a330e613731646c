// Texts cut to less room than they need.

package typeset

import (
	"strings"
	"testing"
)

func TestShortening(t *testing.T) {
	const name = "model.layers.0.mlp.up_proj.weight" // 33 columns
	for _, tt := range []struct {
		how  string
		got  string
		want string
	}{
		{"enough room", Middle(name, 33), name},
		{"middle", Middle(name, 11), "model…eight"},
		{"mostly the start", Headed(name, 22), "model.layers.0.…weight"},
		{"no half of a number", Middle("model-00001-of-00002", 12), "model…-00002"},
		{"one column", Middle(name, 1), "…"},
		{"no column", Middle(name, 0), ""},
		{"less than none", Middle(name, -1), ""},
		{"wide characters do not fit by half", Middle("模型模型", 6), "模…型"},
		{"nothing fits", Middle("模型", 2), "…"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.how, tt.got, tt.want)
		}
	}
}

func TestShorteningKeepsToTheRoom(t *testing.T) {
	for _, s := range []string{strings.Repeat("a", 50), strings.Repeat("模", 50), strings.Repeat("e\u0301", 50), strings.Repeat("🦙a", 25), strings.Repeat("a.", 25), strings.Repeat("10.", 25), strings.Repeat("a.[0-11].", 9), "[" + strings.Repeat("16, ", 20) + "1]"} {
		for most := range 60 {
			for _, got := range []string{Middle(s, most), Headed(s, most), Dotted(s, most), Listed(s, most)} {
				if Width(got) > most {
					t.Errorf("%.10q… in %d columns is %q, which takes %d", s, most, got, Width(got))
				}
			}
		}
	}
}

// By hand: the names are of 38, 33 and 31 columns.
func TestNamesAreCutByWords(t *testing.T) {
	const qkv, up = "encoder.layers.[0-11].attn.Wqkv.weight", "model.layers.0.mlp.up_proj.weight"
	for _, tt := range []struct {
		name string
		most int
		want string
	}{
		{qkv, 38, qkv},
		{qkv, 37, "…layers.[0-11].attn.Wqkv.weight"},
		{qkv, 31, "…layers.[0-11].attn.Wqkv.weight"},
		{qkv, 30, "…[0-11].attn.Wqkv.weight"},
		{qkv, 23, "…[0-11]…Wqkv.weight"},
		{qkv, 18, "…[0-11]…weight"}, // 4 columns are left, for a dot and three letters
		{up, 20, "…0…up_proj.weight"},
		{"model.layers.0.self_attn.weight", 16, "…0.se…ttn.weight"},
		{qkv, 13, "…[0-11]…we…ht"},
		{qkv, 9, "enco…ight"}, // no room for the range and a part of the last word
		{up, 22, "…0.mlp.up_proj.weight"},
		{"experts.1234567890.w", 12, "exper….w"}, // a number is whole, or not there
		{"weight", 4, "w…ht"},
		{"...", 2, "…."},
		{"post_attention_layernorm.weight", 14, "pos…orm.weight"}, // the last word alone would say nothing
	} {
		if got := Dotted(tt.name, tt.most); got != tt.want {
			t.Errorf("Dotted(%q, %d) = %q, want %q", tt.name, tt.most, got, tt.want)
		}
	}
}

func TestShapesAreCutByDimensions(t *testing.T) {
	for _, tt := range []struct {
		most int
		want string
	}{{16, "[4096, 11008, 3]"}, {15, "[4096, …]"}, {9, "[4096, …]"}, {8, "[…]"}, {2, "[…"}} {
		if got := Listed("[4096, 11008, 3]", tt.most); got != tt.want {
			t.Errorf("Listed in %d columns: %q, want %q", tt.most, got, tt.want)
		}
	}
}
