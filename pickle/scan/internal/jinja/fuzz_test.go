// Any text ends, and costs time in proportion to its size.

package jinja

import "testing"

func FuzzJudge(f *testing.F) {
	f.Add("{{ x.__class__ }}{% raw %}{{ y }}{% endraw %}{# {{ #}")
	f.Add(`{%- set a = "_" ~ 'b' -%}{{ c[a|join] | attr("\x5f") }}`)
	f.Fuzz(func(t *testing.T, text string) {
		found := judged(text)
		if len(found) > most {
			t.Errorf("%d findings", len(found))
		}
		for _, f := range found {
			if f.At < 0 || f.At > len(text) {
				t.Errorf("%q: a finding at %d", text, f.At)
			}
		}
	})
}
