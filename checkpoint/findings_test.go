// How findings are kept and told.

package checkpoint

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

func TestFindingsAreBoundedAndInOrder(t *testing.T) {
	var f Findings
	for i := range 1500 {
		f.Add(RuleTensorMissing, "x", span(2000-i, 2001-i), "number %d", i)
	}
	f.Add(RuleTwoCopies, "", safetensors.Span{}, "of the folder")
	f.Add(RuleIndexPath, "", span(1001, 1003), "after the other at 1001")
	r := f.Report()
	if len(r.Violations) != 1002 || r.Omitted[RuleTensorMissing] != 500 || len(r.Omitted) != 1 {
		t.Fatalf("%d violations and %v omitted, want 1002 and 500", len(r.Violations), r.Omitted)
	}
	for i, want := range map[int]string{0: "of the folder", 1: "number 999", 2: "after the other at 1001", 3: "number 998", 1001: "number 0"} {
		if got := r.Violations[i].Detail; got != want {
			t.Errorf("violation %d is %q, want %q", i, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a.weight":               `"a.weight"`,
		"a\x1b[2J":               `"a\x1b[2J"`,
		strings.Repeat("a", 200): `"` + strings.Repeat("a", 200) + `"`,
		strings.Repeat("a", 201): `"` + strings.Repeat("a", 100) + `"..."` + strings.Repeat("a", 100) + `" (201 bytes)`,
		// The 100 bytes at either end are cut inside of a letter of two.
		"x" + strings.Repeat("é", 100) + "y": `"x` + strings.Repeat("é", 49) + `"..."` + strings.Repeat("é", 49) + `y" (202 bytes)`,
	} {
		if got := quote(name); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
