// Facts: in columns, and hostile.

package listing

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model/metadata"
)

// factsText returns facts as text.
func factsText(f *facts, s typeset.Style) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	f.write(w, s, 2)
	w.Flush()
	return b.String()
}

// Names are in one column, but for one that is too long for it; an empty value shows.
func TestFactsText(t *testing.T) {
	f := &facts{groups: []metadata.Group{
		{Title: "Model", Facts: []metadata.Fact{{Name: "title", Value: "x"}, {Name: "a name", Value: ""}, {Name: strings.Repeat("n", 33), Value: "y"}}},
		{Title: "Other", Facts: []metadata.Fact{{Name: "k", Value: "z"}}},
	}, sums: &metadata.Sums{SHA256: "00", Data: "11", AutoV1: "2", AutoV2: "3", AutoV3: "4", Claims: []metadata.Claim{
		{Key: "a", Status: metadata.Verified, Of: "of all"}, {Key: "b", Status: metadata.Mismatch, Is: "9", Of: "of all", Why: "so"}, {Key: "c", Why: "no"},
	}}}
	want := `  Model
    title   x
    a name  ""
    nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn  y

  Other
    k  z

  Digests
    SHA-256 of the file  00
    SHA-256 of the data  11
    AutoV1               2
    AutoV2               3
    AutoV3               4

  Digests in the metadata
    a  verified: it is the digest of all
    b  MISMATCH: the digest of all is 9: so
    c  cannot be verified: no
`
	if diff := cmp.Diff(want, factsText(f, typeset.Style{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A terminal gets a few lines of a megabyte, and acts on none of it; a pipe gets all.
func TestFactsOfHostileValues(t *testing.T) {
	evil := "\x1b[2J\u202e\r\n<script>" + strings.Repeat("a b\x00 ", 200_000)
	f := &facts{groups: metadata.Describe(map[string]string{evil: evil, "modelspec.title": evil, "x": `{"` + strings.Repeat("k", 1000) + `": 1}`})}
	for _, width := range []int{1, 40, 100} {
		text := factsText(f, typeset.Style{Width: width})
		if n := strings.Count(text, "\n"); n > 400 {
			t.Errorf("%d lines in %d columns", n, width)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); typeset.Line(line) != line {
				t.Errorf("in %d columns a terminal would act on %.100q", width, line)
			}
		}
	}
	if text := factsText(f, typeset.Style{}); !strings.Contains(text, typeset.Line(evil)) {
		t.Error("a pipe does not get all of a value")
	}
}
