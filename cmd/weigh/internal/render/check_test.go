// Checks, explanations, and SARIF.

package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// finding returns a finding of a rule in a file.
func finding(rule safetensors.Rule, file, tensor string, begin, end int64) Finding {
	return Finding{File: file, Violation: &safetensors.Violation{
		Rule: rule, Tensor: tensor, Span: safetensors.Span{Begin: begin, End: end}, Detail: "a fault",
	}}
}

func TestCheckVerdict(t *testing.T) {
	overlap := finding(safetensors.RuleOverlap, "f", "a", 8, 16)
	padding := finding(safetensors.RuleHeaderPadding, "f", "", 8, 9)
	order := finding(safetensors.RuleEntryOrder, "f", "a", 8, 16)
	unread := []Unread{{"g", "gone"}}
	for _, tt := range []struct {
		name   string
		check  Check
		failed bool
		want   string
	}{
		{"nothing found", Check{FailOn: safetensors.Note}, false, "ok"},
		{"below the limit", Check{FailOn: safetensors.Warning, Findings: []Finding{order}}, false, "ok, with 1 note"},
		{"at the limit", Check{FailOn: safetensors.Note, Findings: []Finding{order, order}}, true, "broken: 2 notes"},
		{"above", Check{FailOn: safetensors.Nonconforming, Findings: []Finding{padding, overlap}}, true, "broken: 1 invalid, 1 nonconforming"},
		{"lenient", Check{FailOn: safetensors.Invalid, Findings: []Finding{padding}}, false, "ok, with 1 nonconforming"},
		{"unread", Check{FailOn: safetensors.Note, Unread: unread}, false, "not all could be read"},
		{"more than is kept", Check{FailOn: safetensors.Note, Findings: []Finding{overlap}, Omitted: 7_999_000}, true, "broken: 1 invalid and 7,999,000 more"},
		{"found and unread", Check{FailOn: safetensors.Note, Findings: []Finding{order}, Unread: unread}, true, "broken: 1 note"},
	} {
		got, _ := tt.check.verdict()
		if tt.check.Failed() != tt.failed || !strings.HasPrefix(got, tt.want+"; checked 0 files and 0 tensors: ") {
			t.Errorf("%s: failed %v, %q, want %v, %q", tt.name, tt.check.Failed(), got, tt.failed, tt.want)
		}
	}
}

// The worst comes first, and within that the order is that of the bytes.
func TestCheckText(t *testing.T) {
	c := &Check{Targets: []string{"f", "g"}, FailOn: safetensors.Invalid, Omitted: 7, Files: 2, Tensors: 3, Findings: []Finding{
		finding(safetensors.RuleEntryOrder, "f", "a", 8, 16),
		finding(safetensors.RuleTruncated, "g", "", 100, 200),
		finding(safetensors.RuleOverlap, "f", "a", 8, 16),
		finding(safetensors.RuleTwoCopies, "g", "", 0, 0),
	}}
	for range 6 {
		c.Findings = append(c.Findings, finding(safetensors.RuleOverlap, "f", "b", 20, 30))
	}
	var b bytes.Buffer
	if err := c.Text(&b, typeset.Style{}, false); err != nil {
		t.Fatal(err)
	}
	want := `f
  invalid overlap
    a fault (bytes 8-16)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    … and 2 more like it
    → Do not trust the file: write it again from its source.
  note entry-order
    a fault (bytes 8-16)
    → Nothing has to be done; a rewrite puts them in order.

g
  invalid truncated
    a fault (bytes 100-200)
    → Fetch the file again: it is cut off.
  note two-copies
    a fault
    → Fetch the copy that your loader reads, and not the other.
… and 7 of rules that are broken more than a thousand times

broken: 8 invalid, 2 notes and 7 more; checked 2 files and 3 tensors: headers, names, shapes, sizes and offsets; values were not read
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryRuleIsExplained(t *testing.T) {
	for r := range safetensors.Rules() {
		e := Explain(r)
		if e.Law == "" || e.Clause == "" || e.Reference == "" || e.Fix == "" || e.Example == "" || e.Means == "" {
			t.Errorf("%s: something is missing: %+v", string(r), e)
		}
	}
	known := make(map[safetensors.Rule]bool)
	for r := range safetensors.Rules() {
		known[r] = true
	}
	for r := range examples {
		if !known[r] {
			t.Errorf("there is an example of %s, and no such rule", string(r))
		}
	}
}

// What GitHub's code scanning needs of a result, by its documentation "SARIF
// support for code scanning", and what the standard says of byte regions.
func TestSARIF(t *testing.T) {
	c := &Check{FailOn: safetensors.Invalid, Unread: []Unread{{"gone.safetensors", "no such file"}}, Findings: []Finding{
		finding(safetensors.RuleOverlap, "a b/ü#1.safetensors", "w", 62, 124),
		finding(safetensors.RuleHeaderPadding, "m:x.safetensors", "", 8, 9),
		finding(safetensors.RuleTwoCopies, "/abs/f", "", 0, 0),
	}}
	var b bytes.Buffer
	if err := c.SARIF(&b, typeset.Style{}, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool        sarifTool
			Invocations []sarifInvocation
			Results     []sarifResult
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Version != "v1.2.3" || run.Invocations[0].Successful {
		t.Errorf("%+v", log)
	}
	rules := run.Tool.Driver.Rules
	for i, want := range []struct {
		uri, level string
		region     *sarifRegion
	}{
		{"a%20b/%C3%BC%231.safetensors", "error", &sarifRegion{62, 62}},
		{"./m:x.safetensors", "error", &sarifRegion{8, 1}},
		{"file:///abs/f", "note", nil},
	} {
		got := run.Results[i]
		at := got.Locations[0].Physical
		if at.Artifact.URI != want.uri || got.Level != want.level || rules[got.RuleIndex].ID != got.RuleID {
			t.Errorf("result %d: %+v", i, got)
		}
		if diff := cmp.Diff(want.region, at.Region); diff != "" {
			t.Errorf("result %d (-want +got):\n%s", i, diff)
		}
	}
}

// Fingerprints outlive a move to another folder and a shift of bytes, and tell
// tensors and rules apart.
func TestFingerprints(t *testing.T) {
	print := func(rule safetensors.Rule, file, tensor string, begin int64) string {
		f := finding(rule, file, tensor, begin, begin+8)
		return f.fingerprint()
	}
	base := print(safetensors.RuleOverlap, "x/f", "a", 8)
	if base != print(safetensors.RuleOverlap, "y/z/f", "a", 16) {
		t.Error("a move changes the fingerprint")
	}
	for _, other := range []string{
		print(safetensors.RuleHole, "x/f", "a", 8), print(safetensors.RuleOverlap, "x/g", "a", 8), print(safetensors.RuleOverlap, "x/f", "b", 8),
	} {
		if other == base {
			t.Error("two findings have one fingerprint")
		}
	}
}
