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
	all := safetensors.Rules()
	if len(all) != len(severities) {
		t.Fatalf("%d rules, want %d", len(all), len(severities))
	}
	for i, want := range severities {
		if got := all[i]; got.Rule != want.rule || got.Severity.String() != want.severity {
			t.Errorf("rule %d is %q, %v; want %q, %s", i, string(got.Rule), got.Severity, string(want.rule), want.severity)
		}
		if got := all[i].Rule; got.Error() != "rule "+string(got) {
			t.Errorf("%q is the error %q", string(got), got.Error())
		}
	}
	all[0].Severity = safetensors.Note
	if safetensors.Rules()[0].Severity != safetensors.Invalid {
		t.Error("changing the result of Rules changes the rules")
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
