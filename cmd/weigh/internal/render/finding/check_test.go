// Checks and explanations.

package finding

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// finding returns a finding of a rule in a file.
func finding(rule safetensors.Rule, file, tensor string, begin, end int64) Finding {
	info, _ := Lookup(rule)
	return Finding{File: file, Violation: &safetensors.Violation{Rule: rule, Severity: info.Severity, Tensor: tensor,
		Span: safetensors.Span{Begin: begin, End: end}, Detail: "a fault", Fix: info.Fix}}
}

func TestCheckVerdict(t *testing.T) {
	overlap := finding(safetensors.RuleOverlap, "f", "a", 8, 16)
	padding := finding(safetensors.RuleHeaderPadding, "f", "", 8, 9)
	order := finding(safetensors.RuleEntryOrder, "f", "a", 8, 16)
	name := finding(safetensors.RuleNameControl, "f", "a", 8, 16)
	zeros := finding(check.RuleZeroRun, "f", "a", 8, 16)
	unread := []Unread{{"g", "gone"}}
	mild := order
	mild.Allowed = "so"
	for _, tt := range []struct {
		name   string
		check  Check
		failed bool
		want   string
	}{
		{"nothing found", Check{FailOn: Threshold{Least: safetensors.Note}}, false, "ok"},
		{"below the limit", Check{FailOn: Threshold{Least: safetensors.Warning}, Findings: []Finding{order}}, false, "ok, with 1 note"},
		{"at the limit", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{order, order}}, true, "failed: 2 notes"},
		{"above", Check{FailOn: Threshold{Least: safetensors.Nonconforming}, Findings: []Finding{padding, overlap}}, true, "failed: 1 invalid, 1 nonconforming"},
		{"lenient", Check{FailOn: Threshold{Least: safetensors.Invalid}, Findings: []Finding{padding}}, false, "1 nonconforming; not failed with --fail-on invalid"},
		{"unread", Check{FailOn: Threshold{Least: safetensors.Note}, Unread: unread}, false, "some files could not be read"},
		{"more than is kept", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{overlap}, Omitted: []Omission{{Rule: safetensors.RuleOverlap, File: "f", N: 7_999_000}}},
			true, "failed: 7,999,001 invalid"},
		{"allowed", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{mild}}, false, "ok; allowed: 1 note"},
		{"allowed and not", Check{FailOn: Threshold{Least: safetensors.Invalid}, Findings: []Finding{mild, overlap}}, true, "failed: 1 invalid; allowed: 1 note"},
		{"more is allowed than is kept", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{mild}, Omitted: []Omission{{Rule: safetensors.RuleEntryOrder, File: "f", N: 3, Allowed: "so"}}},
			false, "ok; allowed: 4 notes"},
		{"more than is kept, not allowed", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{mild}, Omitted: []Omission{{Rule: safetensors.RuleEntryOrder, File: "f", N: 3}}},
			true, "failed: 3 notes; allowed: 1 note"},
		{"never", Check{FailOn: Threshold{Least: Never}, Findings: []Finding{overlap}}, false, "1 invalid; not failed with --fail-on never"},
		{"damage below the limit", Check{FailOn: Threshold{Least: safetensors.Invalid}, Findings: []Finding{zeros}}, false, "1 error; not failed with --fail-on invalid"},
		{"warnings", Check{FailOn: Threshold{Least: safetensors.Nonconforming}, Findings: []Finding{name, order}}, false, "1 warning, 1 note; not failed with --fail-on nonconforming"},
		{"damage", Check{FailOn: Threshold{Least: safetensors.Nonconforming}, Findings: []Finding{name, zeros}}, true, "failed: 1 error, 1 warning"},
		{"a rule of the limit", Check{FailOn: Threshold{Least: Never, Rules: []safetensors.Rule{safetensors.RuleEntryOrder}}, Findings: []Finding{overlap, order}}, true, "failed: 1 invalid, 1 note"},
		{"another rule", Check{FailOn: Threshold{Least: Never, Rules: []safetensors.Rule{safetensors.RuleHole}}, Findings: []Finding{order}}, false, "ok, with 1 note"},
		{"found and unread", Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{order}, Unread: unread}, true, "failed: 1 note"},
	} {
		got, _ := tt.check.verdict()
		if tt.check.Failed() != tt.failed || !strings.HasPrefix(got, tt.want+"; checked 0 files and 0 tensors: ") {
			t.Errorf("%s: failed %v, %q, want %v, %q", tt.name, tt.check.Failed(), got, tt.failed, tt.want)
		}
	}
}

// The worst comes first, and within that the order is that of the bytes.
func TestCheckText(t *testing.T) {
	c := &Check{Targets: []string{"f", "g"}, FailOn: Threshold{Least: safetensors.Invalid}, Omitted: []Omission{{Rule: safetensors.RuleOverlap, File: "f", N: 7}}, Files: []string{"f", "g"}, Tensors: 3, Findings: []Finding{
		finding(safetensors.RuleEntryOrder, "f", "a", 8, 16),
		finding(safetensors.RuleTruncated, "g", "", 100, 200),
		finding(safetensors.RuleOverlap, "f", "a", 8, 16),
		finding(checkpoint.RuleTwoCopies, "g", "", 0, 0),
	}}
	for range 6 {
		c.Findings = append(c.Findings, finding(safetensors.RuleOverlap, "f", "b", 20, 30))
	}
	var b bytes.Buffer
	if err := c.Text(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `f
  invalid overlap
    a fault (bytes 8-16)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    a fault (bytes 20-30)
    … and 9 more like it
    → Do not trust the file; write it again from its source.
  note entry-order
    a fault (bytes 8-16)
    → No action is needed; ` + "`weigh edit --in-place --fix f`" + ` sorts the entries.

g
  invalid truncated
    a fault (bytes 100-200)
    → Download the file again: it is truncated.
  note two-copies
    a fault
    → Keep the copy that your loader reads, and remove the other.

failed: 15 invalid, 2 notes; checked 2 files and 3 tensors: headers, names, shapes, sizes and offsets; values were not read
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryRuleIsExplained(t *testing.T) {
	for _, info := range Rules {
		r := info.Rule
		e := Explain(r)
		if e.Law == "" || e.Clause == "" || e.Reference == "" || e.Fix == "" || e.Example == "" || e.Means == "" {
			t.Errorf("%s: something is missing: %+v", string(r), e)
		}
	}
	known := make(map[safetensors.Rule]bool)
	for _, info := range Rules {
		known[info.Rule] = true
	}
	for r := range examples {
		if !known[r] {
			t.Errorf("there is an example of %s, and no such rule", string(r))
		}
	}
}
