package gguf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

// judgeAs writes a file, and returns the rules that it breaks as a checkpoint.
func judgeAs(t *testing.T, name string, content []byte) (rules []safetensors.Rule) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	format := gguf.Format(&gguf.Options{Template: func(text string) string {
		if strings.Contains(text, "bad") {
			return "it is bad"
		}
		return ""
	}})
	cp, err := checkpoint.Open(t.Context(), file, &checkpoint.Options{Formats: []checkpoint.Format{format}})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Violations {
			rules = append(rules, v.Rule)
		}
	}
	return rules
}

// Every template counts, and no other text.
func TestTemplates(t *testing.T) {
	const key = "tokenizer.chat_template"
	long := strings.Repeat(" ", 10_000)
	for name, test := range map[string]struct {
		b    *build
		want bool
	}{
		"plain":       {plain().text(key, "{{ good }}"), false},
		"bad":         {plain().text(key, "{{ bad }}"), true},
		"long":        {plain().text(key, long+"{{ bad }}"), true},
		"named":       {plain().text(key, "{{ good }}").text(key+".tool_use", "{{ bad }}"), true},
		"several":     {func() *build { b := plain(); return b.list(key+"s", 8, 2, b.str("good"), b.str("bad")) }(), true},
		"numbers":     {func() *build { b := plain(); return b.list(key+"s", 4, 1, b.u32(1)) }(), false},
		"other texts": {plain().text("general.name", "bad").text("tokenizer.huggingface.json", `{"bad": 1}`), false},
	} {
		rules := judgeAs(t, "a.gguf", test.b.bytes())
		if got := len(rules) == 1 && rules[0] == gguf.RuleTemplate; got != test.want || !test.want && len(rules) > 0 {
			t.Errorf("%s: %v", name, rules)
		}
	}
}

// The name of a file decides only if its content is of no format.
func TestMagicOfNamedFile(t *testing.T) {
	damaged := plain().bytes()
	copy(damaged, "GGUX")
	for _, test := range []struct {
		name    string
		content []byte
		want    safetensors.Rule
	}{
		{"a.gguf", damaged, gguf.RuleMagic},
		{"a.GGUF", damaged, gguf.RuleMagic},
		{"a.weights", damaged, safetensors.RuleHeaderSize},
		{"a.gguf", []byte("<!DOCTYPE html><html><body>Not found</body></html>"), safetensors.RuleNotSafetensors},
		{"a.gguf", []byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"), "data-alignment"},
	} {
		rules := judgeAs(t, test.name, test.content)
		if len(rules) == 0 || rules[0] != test.want {
			t.Errorf("%s, %.10q: %v, want %v", test.name, test.content, rules, test.want)
		}
	}
}
