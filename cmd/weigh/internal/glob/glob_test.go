// What patterns match, and which are refused.

package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"lm_head.weight", []string{"lm_head.weight"}, []string{"lm_headXweight", "lm_head.weight.", "a.lm_head.weight", ""}},
		{"*", []string{"weight", ""}, []string{"a.b", "."}},
		{"*.weight", []string{"norm.weight", ".weight"}, []string{"model.norm.weight", "weight"}},
		{"**.weight", []string{"norm.weight", "model.norm.weight", ".weight"}, []string{"norm.bias"}},
		{"**", []string{"", "a", "a.b.c", "a\nb"}, nil},
		{"***", []string{"a.b"}, nil},
		{"model.layers.*.mlp.**", []string{"model.layers.7.mlp.up_proj.weight"}, []string{"model.layers.7.attn.mlp.x", "model.layers.7.mlp"}},
		{"h.?.w", []string{"h.1.w", "h.é.w"}, []string{"h.10.w", "h...w", "h..w"}},
		{"h.[a-c].w", []string{"h.a.w", "h.c.w"}, []string{"h.d.w", "h.-.w"}},
		{"h.[!a-c].w", []string{"h.d.w"}, []string{"h.a.w", "h...w"}},
		{"h.[^a].w", []string{"h.b.w"}, []string{"h.a.w"}},
		{"[]a]", []string{"]", "a"}, []string{"[", "b"}},
		{"[a-]", []string{"a", "-"}, []string{"b"}},
		{`[\]\-]`, []string{"]", "-"}, []string{`\`}},
		{"[ä-ü]", []string{"ö"}, []string{"o"}},
		{"h.[0-9].w", []string{"h.0.w", "h.9.w"}, []string{"h.10.w"}},
		{"h.[0-23].w", []string{"h.0.w", "h.9.w", "h.10.w", "h.23.w"}, []string{"h.24.w", "h.230.w", "h.05.w", "h..w"}},
		{"h[1-12]", []string{"h1", "h12"}, []string{"h123", "h13", "h"}},
		{"*[1-12]", []string{"h1", "12"}, []string{"h123", "h112"}},
		{"[0-999999999999999999]", []string{"999999999999999999"}, []string{"1000000000000000000", "00", "-1"}},
		{"h.[22-23].w", []string{"h.22.w", "h.23.w"}, []string{"h.2.w", "h.21.w"}},
		{`a\*b`, []string{"a*b"}, []string{"axb"}},
		{"a.+(b)$", []string{"a.+(b)$"}, []string{"aa(b)"}},
		{"", []string{""}, []string{"a"}},
		{"*.*", []string{".", "a.b", "a."}, []string{"a", "a.b.c"}},
		{"**a**b", []string{"ab", "xaxbxab"}, []string{"ba", "a"}},
		{"a\xff?", []string{"a\xffb"}, []string{"a\xfe"}},
		{"?", []string{"模", "\xff"}, []string{"", "ab", "."}},
		{strings.Repeat("*a", 200), []string{strings.Repeat("a", 300)}, []string{strings.Repeat("a", 199)}},
	} {
		p, err := Compile(tt.pattern)
		if err != nil {
			t.Errorf("Compile(%q): %v", tt.pattern, err)
			continue
		}
		if p.String() != tt.pattern {
			t.Errorf("String() = %q, want %q", p.String(), tt.pattern)
		}
		for _, name := range tt.yes {
			if !p.Match(name) {
				t.Errorf("%q does not match %q", tt.pattern, name)
			}
		}
		for _, name := range tt.no {
			if p.Match(name) {
				t.Errorf("%q matches %q", tt.pattern, name)
			}
		}
	}
}

func TestMatchPath(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"*.safetensors", []string{"model.safetensors", "a.b.safetensors"}, []string{"unet/model.safetensors"}},
		{"unet/*", []string{"unet/a.b"}, []string{"unet/a/b", "unet"}},
		{"unet/**", []string{"unet/a", "unet/a/b"}, []string{"vae/a", "x/unet/a"}},
		{"**/x", []string{"x", "a/x", "a/b/x"}, []string{"ax", "a/bx", "x/a"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "b"}},
		{"a**/b", []string{"a/b", "ax/b", "a/x/b"}, []string{"ab", "b"}},
		{"**", []string{"", "a", "a/b"}, nil},
		{"**/**/x", []string{"x", "a/x", "a/b/x"}, []string{"ax"}},
		{"m-?.x", []string{"m-1.x", "m-..x"}, []string{"m-/.x"}},
	} {
		p, err := CompilePath(tt.pattern)
		if err != nil {
			t.Errorf("CompilePath(%q): %v", tt.pattern, err)
			continue
		}
		for _, name := range tt.yes {
			if !p.Match(name) {
				t.Errorf("%q does not match %q", tt.pattern, name)
			}
		}
		for _, name := range tt.no {
			if p.Match(name) {
				t.Errorf("%q matches %q", tt.pattern, name)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{"[a", "not closed"},
		{"[", "not closed"},
		{"[]", "not closed"},
		{`a\`, "nothing to escape"},
		{`[a\`, "nothing to escape"},
		{"[z-a]", "wrong way round"},
		{"[5-3]", "wrong way round"},
	} {
		_, err := Compile(tt.pattern)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Compile(%q): %v, want one with %q", tt.pattern, err, tt.want)
		}
	}
}

// A matcher that backtracks would take longer than the universe is old.
func TestMatchIsLinear(t *testing.T) {
	p, err := Compile(strings.Repeat("**a", 30) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if p.Match(strings.Repeat("a", 10_000)) {
		t.Error("matches a name without b")
	}
}
