// Harmless and hazardous names.

package membername

import "testing"

func TestHazard(t *testing.T) {
	for _, name := range []string{"a", "a/b.pkl", "a/", ".data/x", "a..b", "日本/x", "./", ".", "./a/b", "ab:c", "-"} {
		if got := Hazard(name); got != "" {
			t.Errorf("%q %s", name, got)
		}
	}
	for _, name := range []string{"", "/", "/a", "//a", "../a", "./../a", "a/../../b", "a/./b", "a//b", "a//", `a\b`,
		`\\host\x`, "C:x", `C:\x`, "a\x00b", "a\x1b[2J", "a\nb", "..", "a\x7f"} {
		if Hazard(name) == "" {
			t.Errorf("nothing is wrong with %q", name)
		}
	}
}

func TestKey(t *testing.T) {
	for _, name := range []string{"a/data.pkl", "A/Data.pkl", "a/data.pkl\x00.txt", `a\data.pkl`} {
		if got := Key(name); got != "a/data.pkl" {
			t.Errorf("the key of %q is %q", name, got)
		}
	}
}
