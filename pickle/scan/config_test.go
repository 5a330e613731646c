// Configurations written by Python, and what Python reads from them.

package scan

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// configs is the folder of files written by make.py.
const configs = "../../testdata/configs"

// Exactly the tags that PyYAML's composer finds are reported.
func TestYAMLTags(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(string(readFile(t, filepath.Join(configs, "tags.txt")))), "\n") {
		fields := strings.Fields(row)
		r := scanned(t, new(Scanner), readFile(t, filepath.Join(configs, fields[0])), fields[0])
		want := pickle.Safe
		for _, tag := range fields[1:] {
			kind, name, _ := strings.Cut(tag, ":")
			verdict := pickle.Suspicious
			switch {
			case kind == "tuple":
				continue // data
			case name == "os" || name == "os.system" || name == "subprocess.Popen" || name == "posixpath.join":
				verdict = pickle.Dangerous
			}
			want = max(want, verdict)
			if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
				return f.Severity.Verdict() == verdict && strings.Contains(f.Message, quoted("!!python/"+tag))
			}) {
				t.Errorf("%s: %q is not found, but %v", fields[0], tag, r.Findings)
			}
		}
		if r.Verdict != want || r.Format != "yaml" || !r.Complete {
			t.Errorf("%s is %s, %v, want %v: %v", fields[0], r.Format, r.Verdict, want, r.Findings)
		}
	}
}

// json.loads, which Keras uses for configurations, detects UTF-8, UTF-16 and UTF-32 with and
// without a byte order mark.
func TestEncodings(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(configs, "*.keras"))
	if len(files) != 8 {
		t.Fatalf("%d files, want 8", len(files))
	}
	for _, name := range files {
		r := scanned(t, new(Scanner), readFile(t, name), name)
		lambda := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == RuleKerasLambda })
		if r.Format != "keras" || r.Verdict != pickle.Dangerous || !r.Complete || !lambda {
			t.Errorf("%s is %s, %v, complete %v: %v", filepath.Base(name), r.Format, r.Verdict, r.Complete, r.Findings)
		}
	}
}

// A text that is too large to read belongs to a model if its outermost object says so, with or
// without escapes.
func TestLargeJSON(t *testing.T) {
	fill := strings.Repeat(" ", mostConfig)
	for _, c := range []struct {
		text     string
		complete bool
	}{
		{`{"vocab":{"class_name":1},"a":"class\"_name"` + fill + `}`, true},
		{`{"class_name":"Model"` + fill + `}`, false},
		{`{` + fill + `"\u0063lass_name":"Model"}`, false},
		{`{"a":[{"b":"}"}],` + fill + `"modelTopology":{}}`, false},
		{`{"a":{"modelTopology":{},"class_name":["Model"]}` + fill + `}`, true},
		{`{"a":` + fill + `,"b":[{"class_name":"Model"}]}`, false},
	} {
		r := scanned(t, new(Scanner), []byte(c.text), "model.json")
		if r.Complete != c.complete || (r.Verdict == pickle.Safe) != c.complete {
			t.Errorf("%.40s: %v, complete %v: %v", c.text, r.Verdict, r.Complete, r.Findings)
		}
	}
}
