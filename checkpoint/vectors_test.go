// Every vector for sets: the one rule that it breaks, and nothing else.

package checkpoint_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// setRules are the rules that vectors for sets are for.
var setRules = []safetensors.Rule{
	checkpoint.RuleIndexJSON, checkpoint.RuleIndexPath, checkpoint.RuleShardMissing, checkpoint.RuleShardExtra,
	checkpoint.RuleTensorMissing, checkpoint.RuleTensorMisplaced, checkpoint.RuleTensorUnlisted,
	checkpoint.RuleTensorConflict, checkpoint.RuleTensorTwice, checkpoint.RuleTotalSize, checkpoint.RuleTwoCopies,
	checkpoint.RuleIndexStale,
}

// A vector is what vector.txt says, key by key.
type vector map[string]string

// vectors returns the vectors, by their directories.
func vectors(t testing.TB) map[string]vector {
	t.Helper()
	heads, err := filepath.Glob("../vectors/sets/*/*/vector.txt")
	if err != nil || len(heads) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	all := make(map[string]vector)
	for _, head := range heads {
		text, err := os.ReadFile(head)
		if err != nil {
			t.Fatal(err)
		}
		v := make(vector)
		for line := range strings.Lines(string(text)) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if !ok || v[key] != "" {
				t.Fatalf("%s: line %q", head, line)
			}
			v[key] = value
		}
		all[filepath.Dir(head)] = v
	}
	return all
}

func TestVectors(t *testing.T) {
	covered := make(map[safetensors.Rule]bool)
	for dir, v := range vectors(t) {
		covered[safetensors.Rule(v["rule"])] = true
		t.Run(filepath.ToSlash(dir[len("../vectors/sets/"):]), func(t *testing.T) {
			sets, err := checkpoint.Discover(t.Context(), store.Dir(dir), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := v["sets"]; counts(sets) != want && (want != "" || counts(sets) != "1 1") {
				t.Errorf("%s sets, want %q: %v", counts(sets), want, names(sets))
			}
			var found []located
			for _, s := range sets {
				found = append(found, validate(t, s.Open())...)
			}
			v.check(t, found)
		})
	}
	for _, rule := range setRules {
		if !covered[rule] {
			t.Errorf("rule %s has no vector", rule)
		}
	}
}

// A located violation is one of a file; that of a set is one of its index.
type located struct {
	file string
	*safetensors.Violation
}

// validate returns what Validate finds in a checkpoint, and closes it.
func validate(t testing.TB, cp *checkpoint.Checkpoint) []located {
	t.Helper()
	defer cp.Close()
	var found []located
	last := "?"
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			t.Errorf("file %q: %v", r.File, err)
			continue
		}
		last = r.File
		for _, v := range r.Violations {
			found = append(found, located{cmp.Or(r.File, cp.Set().Index), v})
		}
	}
	if last != "" {
		t.Errorf("the last report is that of %q, and not of the set", last)
	}
	return found
}

// check compares what was found with what the vector says.
func (v vector) check(t *testing.T, found []located) {
	t.Helper()
	if v["rule"] == "" {
		if v["expect"] != "accept" || len(found) > 0 {
			t.Errorf("expected to %s, found %v", v["expect"], found)
		}
		return
	}
	if len(found) != 1 {
		t.Fatalf("%d violations, want the one of rule %s: %v", len(found), v["rule"], found)
	}
	f := found[0]
	if !errors.Is(f, safetensors.Rule(v["rule"])) {
		t.Errorf("rule %s, want %s: %v", f.Rule, v["rule"], f)
	}
	if got := f.Severity.String(); got != v["severity"] {
		t.Errorf("severity %s, want %s", got, v["severity"])
	}
	if want := v["expect"] == "refuse"; (f.Severity >= safetensors.Nonconforming) != want {
		t.Errorf("severity %s, expected to %s", f.Severity, v["expect"])
	}
	if file := v["file"]; f.file != file && !strings.Contains(f.Detail, fmt.Sprintf("%q", file)) {
		t.Errorf("neither the report, on %q, nor the message is about %q: %v", f.file, file, f)
	}
	var tensor string
	if v["tensor"] != "" {
		if err := json.Unmarshal([]byte(v["tensor"]), &tensor); err != nil {
			t.Fatal(err)
		}
	}
	if f.Tensor != tensor {
		t.Errorf("tensor %q, want %q: %v", f.Tensor, tensor, f)
	}
	if got := fmt.Sprintf("%d-%d", f.Span.Begin, f.Span.End); v["bytes"] != "" && got != v["bytes"] {
		t.Errorf("bytes %s, want %s: %v", got, v["bytes"], f)
	}
	t.Log(f)
}

// counts returns how many sets there are, and how many are counted.
func counts(sets []*checkpoint.Set) string {
	counted := slices.DeleteFunc(slices.Clone(sets), func(s *checkpoint.Set) bool { return !s.Counted() })
	return fmt.Sprint(len(sets), len(counted))
}

func names(sets []*checkpoint.Set) []string {
	var names []string
	for _, s := range sets {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.Role))
	}
	return names
}
