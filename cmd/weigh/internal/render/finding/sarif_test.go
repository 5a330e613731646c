// SARIF: what GitHub demands of a log, and what has no room in it.

package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/sarif"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A sarifRun is the one run of a log, as a program that reads it would see it.
type sarifRun struct {
	Tool        sarif.Tool
	Invocations []sarif.Invocation
	Results     []sarif.Result
}

// sarifLog writes c as SARIF, and reads it.
func sarifLog(t *testing.T, c *Check, verbose bool) sarifRun {
	t.Helper()
	var b bytes.Buffer
	c.Form = CheckForm{Verbose: verbose, Version: "v1.2.3"}
	if err := c.SARIF(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []sarifRun
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Schema == "" || log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("schema %q, version %q, %d runs", log.Schema, log.Version, len(log.Runs))
	}
	return log.Runs[0]
}

// What GitHub's code scanning needs, by the tables of its documentation "SARIF
// support for code scanning": of a rule, of a result, and of a location. All of it
// has to be there, and no text may be empty, or longer than 1,024 characters.
func TestSARIFHasWhatGitHubRequires(t *testing.T) {
	c := &Check{FailOn: Threshold{Least: safetensors.Invalid}, Unread: []Unread{{"gone.safetensors", "no such file"}}, Root: "/src", Findings: []Finding{
		finding(safetensors.RuleOverlap, "a b/ü#1.safetensors", "w", 62, 124),
		finding(safetensors.RuleHeaderPadding, "m:x.safetensors", "", 8, 9),
		finding(checkpoint.RuleTwoCopies, "/abs/f", "", 0, 0),
		finding(checkpoint.RuleTwoCopies, "/src/models/f", "", 0, 0),
		finding(checkpoint.RuleTwoCopies, "./models/../f", "", 0, 0),
		finding(checkpoint.RuleTwoCopies, "hf://org/repo/f", "", 0, 0),
	}}
	run := sarifLog(t, c, false)
	if run.Tool.Driver.Name != "weigh" || run.Tool.Driver.Version != "v1.2.3" || run.Invocations[0].Successful {
		t.Errorf("%+v, successful %v", run.Tool.Driver, run.Invocations[0].Successful)
	}
	for _, r := range run.Tool.Driver.Rules {
		for _, text := range []string{r.ID, r.ShortDescription.Text, r.FullDescription.Text, r.Help.Text, r.Help.Markdown} {
			if text == "" || len(text) > 1024 {
				t.Errorf("rule %s: a text is missing, or has %d bytes", r.ID, len(text))
			}
		}
		if n := len(r.Properties.Tags); n > 10 {
			t.Errorf("rule %s has %d tags, and 10 are shown", r.ID, n)
		}
	}
	number := func(n int64) *int64 { return &n }
	for i, want := range []struct {
		uri, level     string
		offset, length *int64
	}{
		{"a%20b/%C3%BC%231.safetensors", "error", number(62), number(62)},
		{"./m:x.safetensors", "error", number(8), number(1)},
		{"file:///abs/f", "note", nil, nil},
		{"models/f", "note", nil, nil},
		{"f", "note", nil, nil},
		{"hf://org/repo/f", "note", nil, nil},
	} {
		got := run.Results[i]
		at := got.Locations[0].Physical
		if at.Artifact.URI != want.uri || got.Level != want.level || run.Tool.Driver.Rules[got.RuleIndex].ID != got.RuleID {
			t.Errorf("result %d: %+v", i, got)
		}
		region := sarif.Region{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2, ByteOffset: want.offset, ByteLength: want.length}
		if diff := cmp.Diff(region, at.Region); diff != "" {
			t.Errorf("result %d (-want +got):\n%s", i, diff)
		}
		if print := got.Fingerprints["primaryLocationLineHash"]; !strings.HasSuffix(print, ":1") || len(print) != 18 {
			t.Errorf("result %d has the fingerprint %q", i, print)
		}
	}
}

// GitHub makes an alert of a suppressed result, too. So these are there only if they
// are asked for; and it is said that there are some.
func TestSARIFOfWhatIsAllowed(t *testing.T) {
	c := &Check{FailOn: Threshold{Least: safetensors.Note}, Omitted: []Omission{{Rule: safetensors.RuleOverlap, File: "f", N: 7}}, Findings: []Finding{
		finding(safetensors.RuleOverlap, "f", "a", 8, 16), finding(safetensors.RuleOverlap, "f", "b", 8, 16),
	}}
	c.Findings[0].Allowed = "it is known"
	run := sarifLog(t, c, false)
	if len(run.Results) != 1 || len(run.Results[0].Suppressions) > 0 {
		t.Errorf("%+v", run.Results)
	}
	var said []string
	for _, n := range run.Invocations[0].Notifications {
		said = append(said, n.Level+": "+n.Message.Text)
	}
	want := []string{
		"note: 7 findings not listed: more than 1,000 of one rule in one file",
		"note: 1 finding allowed and left out; --verbose includes them as suppressed",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	run = sarifLog(t, c, true)
	if len(run.Results) != 2 || len(run.Invocations[0].Notifications) != 1 {
		t.Fatalf("%d results, %d notifications", len(run.Results), len(run.Invocations[0].Notifications))
	}
	if diff := cmp.Diff([]sarif.Suppression{{Kind: "external", Status: "accepted", Justification: "it is known"}}, run.Results[0].Suppressions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// GitHub refuses a log of more than 25,000 results, so the most harmless are left
// out, wherever they stand.
func TestSARIFHasRoomForTheWorst(t *testing.T) {
	c := &Check{FailOn: Threshold{Least: safetensors.Note}}
	for i := range 13_000 {
		c.Findings = append(c.Findings,
			finding(safetensors.RuleEntryOrder, fmt.Sprint("f", i), "", 8, 16), finding(safetensors.RuleOverlap, fmt.Sprint("f", i), "a", 8, 16))
	}
	run := sarifLog(t, c, false)
	counts := make(map[string]int)
	for _, r := range run.Results {
		counts[r.RuleID]++
	}
	if diff := cmp.Diff(map[string]int{"overlap": 13_000, "entry-order": 12_000}, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if said := run.Invocations[0].Notifications; len(said) != 1 || !strings.HasPrefix(said[0].Message.Text, "1,000 findings left out") {
		t.Errorf("%+v", said)
	}
}

// Fingerprints outlive a shift of bytes and another wording, and tell rules, files
// and tensors apart. The file is known by its key, wherever the program is run.
func TestFingerprints(t *testing.T) {
	print := func(rule safetensors.Rule, key, tensor, detail string, begin int64) string {
		f := finding(rule, "/some/where/f", tensor, begin, begin+8)
		f.Key, f.Detail = key, detail
		return f.fingerprint()
	}
	base := print(safetensors.RuleOverlap, "x/f", "a", "a fault", 8)
	if base != print(safetensors.RuleOverlap, "x/f", "a", "in other words", 16) {
		t.Error("a shift or a wording changes the fingerprint")
	}
	for _, other := range []string{
		print(safetensors.RuleHole, "x/f", "a", "a fault", 8), print(safetensors.RuleOverlap, "y/f", "a", "a fault", 8),
		print(safetensors.RuleOverlap, "x/f", "b", "a fault", 8),
	} {
		if other == base {
			t.Error("two findings have one fingerprint")
		}
	}
	// By hand: printf 'overlap\0x/f\0a' | sha256sum | head -c 32
	if want := "9d9f228d4d7a2b58e5879c86001bfaab"; base != want {
		t.Errorf("%s, want %s", base, want)
	}
}

// Several findings of one tensor are told apart by their number.
func TestFingerprintsOfFindingsThatAreAlike(t *testing.T) {
	one := finding(safetensors.RuleUnknownMember, "f", "a", 8, 16)
	run := sarifLog(t, &Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{one, one, one}}, false)
	for i, r := range run.Results {
		if print := r.Fingerprints["primaryLocationLineHash"]; !strings.HasSuffix(print, fmt.Sprint(":", i+1)) {
			t.Errorf("result %d has the fingerprint %q", i, print)
		}
	}
}
