// Hostile names in findings: how long they may be, and what they may say.

package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/sarif"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

func TestNamesInFindingsAreShortened(t *testing.T) {
	a, wide := strings.Repeat("a", 150), strings.Repeat("…", 100) // of three bytes each
	for _, tt := range []struct{ what, name, want string }{
		{"an honest name", "model.norm.weight", "model.norm.weight"},
		{"300 bytes", a + a, a + a},
		{"301 bytes", a + "b" + a, a + "…" + a + " (301 bytes)"},
		{"characters stay whole", "a" + wide + "b", "a" + strings.Repeat("…", 49) + "…" + strings.Repeat("…", 49) + "b (302 bytes)"},
		{"no UTF-8", strings.Repeat("\x80", 1000), strings.Repeat("\x80", 147) + "…" + strings.Repeat("\x80", 147) + " (1000 bytes)"},
	} {
		got := typeset.Shortened(tt.name)
		if got != tt.want || utf8.ValidString(tt.name) && !utf8.ValidString(got) {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}

// A tensor whose name has a megabyte can be at fault a thousand times, and each
// of these is a finding.
func TestReportsDoNotGrowWithNames(t *testing.T) {
	const times, each = 1000, 2000 // bytes
	name := strings.Repeat("a", 1_000_000)
	var findings []Finding
	for range times {
		findings = append(findings, finding(safetensors.RuleUnknownMember, "f", name, 8, 16))
	}
	c := &Check{FailOn: Threshold{Least: safetensors.Note}, Findings: findings}
	for form, write := range map[string]func(io.Writer) error{
		"check --json":  func(w io.Writer) error { return c.JSON(w, typeset.Style{}) },
		"check --sarif": func(w io.Writer) error { return c.SARIF(w, typeset.Style{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if b.Len() > times*each {
			t.Errorf("%s writes %d bytes", form, b.Len())
		}
		if !json.Valid(b.Bytes()) || bytes.Count(b.Bytes(), []byte("(1000000 bytes)")) != times {
			t.Errorf("%s does not write each finding: %.200s", form, b.Bytes())
		}
	}
}

// Sections 3.11.5 and 3.11.6 of SARIF 2.1.0: braces are doubled, and brackets
// preceded by a backslash, lest they are placeholders and links.
func TestMessagesOfSARIFAreLiteral(t *testing.T) {
	const text, want = `tensor "[x](http://a.example) {0}"`, `tensor "\[x\](http://a.example) {{0}}"`
	f := finding(safetensors.RuleOverlap, "f", "[x]", 8, 16)
	f.Detail = text
	c := &Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{f}, Unread: []Unread{{"g", text}}}
	var b bytes.Buffer
	if err := c.SARIF(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Invocations []sarif.Invocation
			Results     []sarif.Result
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	got := []string{run.Results[0].Message.Text, run.Invocations[0].Notifications[0].Message.Text}
	if fmt.Sprint(got) != fmt.Sprint([]string{want, want}) {
		t.Errorf("%q, want %q twice", got, want)
	}
	if name := run.Results[0].Locations[0].Logical[0].Name; name != "[x]" { // no message, so as it is
		t.Errorf("the tensor is %q", name)
	}
}
