// Every rule is in the table and in the document.

package scan

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/ruletable"
)

var update = flag.Bool("update", false, "write the document instead of comparing with it")

// The faults of archives and checkpoints have rules of the same name.
func TestFaultsAreRules(t *testing.T) {
	for _, rule := range []string{
		string(zipwalk.BadEnd), string(zipwalk.ManyEnds), string(zipwalk.NoEnd), string(zipwalk.PrefixData), string(zipwalk.TrailingData), string(zipwalk.UnlistedData),
		string(zipwalk.BadOffset), string(zipwalk.HeaderMismatch), string(zipwalk.BadFlags), string(zipwalk.Overlap), string(zipwalk.Orphan), string(zipwalk.Duplicate),
		string(zipwalk.UnsafeName), string(zipwalk.Symlink),
		string(tarwalk.BadHeader), string(tarwalk.Truncated), string(tarwalk.TrailingData), string(tarwalk.Duplicate), string(tarwalk.UnsafeName), string(tarwalk.Symlink), string(tarwalk.OddMember),
		string(torchfile.RuleStorageKey), string(torchfile.RuleStorageType), string(torchfile.RuleStorageSize), string(torchfile.RuleShape), string(torchfile.RuleStride),
		string(torchfile.RuleTensorRange), string(torchfile.RuleMagic),
	} {
		if ruletable.Of(pickle.Rule(rule)) == nil {
			t.Errorf("there is no rule %q", rule)
		}
	}
}

func TestRules(t *testing.T) {
	seen := make(map[pickle.Rule]bool)
	for rule := range Rules() {
		if seen[rule] || !strings.HasSuffix(Text(rule), ".") {
			t.Errorf("%q stands twice, or has no sentence: %q", rule, Text(rule))
		}
		seen[rule] = true
	}
	for _, rule := range []pickle.Rule{pickle.RuleDangerous, RuleOrphan, RuleUnscanned, pickle.RuleTrailing} {
		if !seen[rule] {
			t.Errorf("%q is not among the rules", rule)
		}
	}
}

// document is the documentation of the rules.
const document = "../../docs/scan.md"

// TestDocument compares the table in the document with the rules. With -update it writes the
// table.
func TestDocument(t *testing.T) {
	const begin, end = "<!-- made by go test ./scan -run Document -update -->\n", "<!-- end -->\n"
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the rules", document)
	}
	var table strings.Builder
	table.WriteString("\n| rule | severity | description |\n|---|---|---|\n")
	for rule := range Rules() {
		fmt.Fprintf(&table, "| <a id=%q></a>`%s` | %s | %s |\n", rule, rule, Severity(rule), Text(rule))
	}
	want := head + begin + table.String() + "\n" + end + tail
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("%s is not what the rules make: go test ./scan -run Document -update", document)
	}
}
