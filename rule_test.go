// The rules: their names, severities and order, against the design's table.

package safetensors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// severities repeats what the design says of each rule about one file, in the
// order in which bytes are read.
var severities = []struct {
	rule     safetensors.Rule
	severity string
}{
	{"too-short", "invalid"},
	{"not-safetensors", "invalid"},
	{"header-size", "invalid"},
	{"utf8", "invalid"},
	{"json", "invalid"},
	{"limit", "invalid"},
	{"header-start", "nonconforming"},
	{"header-padding", "nonconforming"},
	{"duplicate-name", "nonconforming"},
	{"metadata", "invalid"},
	{"reserved-name", "invalid"},
	{"member", "invalid"},
	{"member-form", "nonconforming"},
	{"unknown-member", "nonconforming"},
	{"dtype", "invalid"},
	{"shape", "invalid"},
	{"offsets", "invalid"},
	{"overflow", "invalid"},
	{"whole-bytes", "invalid"},
	{"tensor-size", "invalid"},
	{"overlap", "invalid"},
	{"hole", "invalid"},
	{"truncated", "invalid"},
	{"trailing", "invalid"},
	{"data-alignment", "warning"},
	{"element-alignment", "warning"},
	{"bool-value", "warning"},
	{"name-control", "warning"},
	{"metadata-format", "note"},
	{"entry-order", "note"},
}

func TestRules(t *testing.T) {
	all := slices.Collect(safetensors.Rules())
	if len(all) < len(severities) {
		t.Fatalf("%d rules, want %d and those of sets", len(all), len(severities))
	}
	for i, want := range severities {
		if got := all[i]; got != want.rule || got.Severity().String() != want.severity {
			t.Errorf("rule %d is %q, %v; want %q, %s", i, string(got), got.Severity(), string(want.rule), want.severity)
		}
	}
	for _, r := range all {
		if name := string(r); strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is not made of lower-case letters, digits and hyphens", name)
		}
		if r.Error() != "rule "+string(r) {
			t.Errorf("%q is the error %q", string(r), r.Error())
		}
		if text := r.Text(); !strings.HasSuffix(text, ".") || strings.Count(text, "\n") > 0 {
			t.Errorf("%q says %q, which is no sentence", string(r), text)
		}
	}
	for r := range safetensors.Rules() {
		if r != safetensors.RuleTooShort {
			t.Errorf("a loop that is left went on to %q", string(r))
		}
		break
	}
}

// TestRuleOfNoTable checks that a rule which does not exist is not harmless.
func TestRuleOfNoTable(t *testing.T) {
	r := safetensors.Rule("no-such-rule")
	if r.Severity() != safetensors.Invalid || r.Text() != "" || r.Error() != "rule no-such-rule" {
		t.Errorf("%v, %q, %v", r.Severity(), r.Text(), r)
	}
}

func TestSeverities(t *testing.T) {
	order := []safetensors.Severity{safetensors.Note, safetensors.Warning, safetensors.Nonconforming, safetensors.Invalid}
	if !slices.IsSorted(order) || order[0] != 0 {
		t.Errorf("%v are not in ascending order", order)
	}
	var names []string
	for _, s := range order {
		names = append(names, s.String())
	}
	if got := strings.Join(names, " "); got != "note warning nonconforming invalid" {
		t.Errorf("they are called %s", got)
	}
}
