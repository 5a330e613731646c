// Baselines: what is known, what is new, and what is recorded in vain.

package gate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
)

// found returns a finding, with bytes and a message that do not matter.
func found(rule safetensors.Rule, file, tensor string) finding.Finding {
	return finding.Finding{File: "/abs/" + file, Key: file, Violation: &safetensors.Violation{Rule: rule, Severity: finding.SeverityOf(rule), Tensor: tensor, Span: safetensors.Span{}, Detail: "a fault"}}
}

func everywhere(string) bool { return true }

// written returns what a baseline of findings is as a file.
func written(t *testing.T, findings []finding.Finding, omitted []finding.Omission) string {
	t.Helper()
	var b bytes.Buffer
	if err := NewBaseline("b", findings, omitted).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns the baseline that a file is.
func read(t *testing.T, text string) *Baseline {
	t.Helper()
	b, err := ReadBaseline("b", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBaselineWritesLinesInOrder(t *testing.T) {
	allowed := found(safetensors.RuleHole, "a", "z")
	allowed.Allowed = "so"
	got := written(t, []finding.Finding{
		found(safetensors.RuleOverlap, "b", "x\n\u202e<"), found(safetensors.RuleHole, "b", "x"), found(safetensors.RuleTrailing, "a", ""),
		found(safetensors.RuleHole, "b", "x"), allowed,
	}, []finding.Omission{{Rule: safetensors.RuleHole, File: "/abs/b", Key: "b", N: 7}, {Rule: safetensors.RuleHole, Key: "a", N: 5, Allowed: "so"}})
	want := `{"schema":"weigh.baseline/1","findings":[
{"rule":"trailing","file":"a","tensor":"","count":1},
{"rule":"hole","file":"b","tensor":"","count":7,"more":true},
{"rule":"hole","file":"b","tensor":"x","count":2},
{"rule":"overlap","file":"b","tensor":"x\n` + "\u202e" + `\u003c","count":1}
]}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := written(t, nil, nil); got != "{\"schema\":\"weigh.baseline/1\",\"findings\":[\n]}\n" || read(t, got).Len() != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

// The message and the bytes may change; the rule, the file, the tensor and how often
// may not.
func TestBaselineAccepts(t *testing.T) {
	b := read(t, written(t, []finding.Finding{
		found(safetensors.RuleOverlap, "a", "x"), found(safetensors.RuleUnknownMember, "a", "x"), found(safetensors.RuleUnknownMember, "a", "x"),
		found(safetensors.RuleHole, "gone", "y"), found(safetensors.RuleHole, "elsewhere", "y"),
	}, nil))
	now := []finding.Finding{
		found(safetensors.RuleOverlap, "a", "x"),       // known
		found(safetensors.RuleOverlap, "a", "y"),       // another tensor
		found(safetensors.RuleOverlap, "b", "x"),       // another file
		found(safetensors.RuleHole, "a", "x"),          // another rule
		found(safetensors.RuleUnknownMember, "a", "x"), // known
		found(safetensors.RuleUnknownMember, "a", "x"), // known
		found(safetensors.RuleUnknownMember, "a", "x"), // once more than before
		found(safetensors.RuleOverlap, "a", "x"),       // likewise
	}
	now[0].Detail, now[0].Span = "in other words", safetensors.Span{Begin: 100, End: 200}
	_, stale := b.Accept(now, nil, func(file string) bool { return file != "elsewhere" })
	var known []bool
	for _, f := range now {
		known = append(known, f.Allowed == "recorded in b")
	}
	if diff := cmp.Diff([]bool{true, false, false, false, true, true, false, false}, known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]finding.Stale{{Rule: "hole", File: "gone", Tensor: "y", Count: 1}}, stale); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
}

// What a configuration allows keeps its reason, and is no reason to call the baseline
// stale.
func TestBaselineAndConfiguration(t *testing.T) {
	f := found(safetensors.RuleOverlap, "a", "x")
	b := NewBaseline("b", []finding.Finding{f}, nil)
	f.Allowed = "so"
	list := []finding.Finding{f}
	if _, stale := b.Accept(list, nil, everywhere); list[0].Allowed != "so" || len(stale) > 0 {
		t.Errorf("allowed for %q, stale %v", list[0].Allowed, stale)
	}
}

// Of what is counted and not kept, as many are known as were.
func TestBaselineAcceptsOmissions(t *testing.T) {
	of := func(n int, allowed string) finding.Omission {
		return finding.Omission{Rule: safetensors.RuleHole, File: "a", N: n, Allowed: allowed}
	}
	b := read(t, written(t, nil, []finding.Omission{of(10, "")}))
	for _, tt := range []struct {
		now   int
		want  []finding.Omission
		stale int
	}{
		{10, []finding.Omission{of(10, "recorded in b")}, 0},
		{12, []finding.Omission{of(10, "recorded in b"), of(2, "")}, 0},
		{7, []finding.Omission{of(7, "recorded in b")}, 3},
	} {
		got, stale := b.Accept(nil, []finding.Omission{of(tt.now, "")}, everywhere)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("of %d (-want +got):\n%s", tt.now, diff)
		}
		left := 0
		for _, st := range stale {
			left += st.Count
		}
		if left != tt.stale {
			t.Errorf("of %d: %d are stale, want %d", tt.now, left, tt.stale)
		}
	}
}

// Names that are too long for a report are still told apart.
func TestBaselineOfLongNames(t *testing.T) {
	long := strings.Repeat("a", 1000)
	b := read(t, written(t, []finding.Finding{found(safetensors.RuleHole, "f", long+"x"+long)}, nil))
	now := []finding.Finding{found(safetensors.RuleHole, "f", long+"y"+long), found(safetensors.RuleHole, "f", long+"x"+long)}
	b.Accept(now, nil, everywhere)
	if now[0].Allowed != "" || now[1].Allowed == "" {
		t.Errorf("%q and %q", now[0].Allowed, now[1].Allowed)
	}
}

func TestReadBaselineRefuses(t *testing.T) {
	for _, text := range []string{
		"", "[]", "null", "{}", `{"schema":"weigh.check/1","findings":[]}`, `{"schema":"weigh.baseline/1","findings":[]} x`,
		`{"schema":"weigh.baseline/1","findings":[{"rule":"hole","file":"a","tensor":"","count":0}]}`,
		`{"schema":"weigh.baseline/1","findings":[{"rule":"hole","tensor":"","count":1}]}`,
		`{"schema":"weigh.baseline/1","findings":[{"rule":"hole","file":"a","tensor":"","count":1,"message":"x"}]}`,
		`{"schema":"weigh.baseline/1","findings":[{"rule":"hole","file":"a","tensor":"","count":99999999999999999999}]}`,
	} {
		if _, err := ReadBaseline("b", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "b") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
