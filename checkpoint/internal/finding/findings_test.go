// How findings are kept and told.

package finding

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

func TestFindingsAreBoundedAndInOrder(t *testing.T) {
	var f Findings
	for i := range 1500 {
		f.Add(TensorMissing, "x", safetensors.Span{Begin: int64(2000 - i), End: int64(2001 - i)}, "number %d", i)
	}
	f.Add(TwoCopies, "", safetensors.Span{}, "of the folder")
	f.Add(IndexPath, "", safetensors.Span{Begin: int64(1001), End: int64(1003)}, "after the other at 1001")
	r := f.Report()
	if len(r.Violations) != 1002 || r.Omitted[TensorMissing] != 500 || len(r.Omitted) != 1 {
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
		if got := wording.Quote(name); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
