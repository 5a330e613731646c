// Jinja templates.

package texts

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/jinja"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// Template judges a text that may be a template. If it is not sure that a program renders it,
// an escape is only suspicious: texts about security contain some.
func (r *Reader) Template(text []byte, at int64, sure bool) {
	if !settings.Templated(text) {
		return
	}
	found, ok := jinja.Judge(text, sure, func(n int) bool { return r.Spend(int64(n) * costTemplate) })
	if !ok || !r.Spend(int64(len(text))/perByte) {
		r.OverWork(at)
	}
	var levels [3][]string
	for _, f := range found {
		if l := levels[f.Level]; len(l) < 3 {
			levels[f.Level] = append(l, f.What)
		}
	}
	if whats := levels[jinja.Escape]; len(whats) > 0 {
		s := pickle.Warning
		if sure {
			s = pickle.Error
		}
		r.find(RuleTemplate, s, at, "a template runs code, except in a sandbox: %s", strings.Join(whats, "; "))
	}
	if whats := levels[jinja.Busy]; len(whats) > 0 {
		r.find(RuleLoop, pickle.Warning, at, "a template keeps the program busy: %s", strings.Join(whats, "; "))
	}
	if whats := levels[jinja.Odd]; len(whats) > 0 {
		r.find(RuleOddLookup, pickle.Warning, at, "a template hides what it does: %s", strings.Join(whats, "; "))
	}
}
