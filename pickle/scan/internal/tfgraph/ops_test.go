// Constant parts of file names.

package tfgraph

import "testing"

func TestOutside(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "model": false, "/": false, "/part": false, "_temp/part": false, "a/b": false,
		"/etc/passwd": true, "..": true, "a/..": true, "../x": true, `\x`: true, "~/x": true, "C:x": true,
		"gs://bucket/x": true, "/part/../../x": true,
	} {
		if outside(name) != want {
			t.Errorf("outside(%q) is %v", name, !want)
		}
	}
}
