// Pickles of today's versions of PyTorch, NumPy, scikit-learn, pandas, Transformers, Lightning, dill and Python.

package pickle

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestBenign judges pickles that .ci/interop/benign.py collects with --golden. They are safe with profiles, as long as
// they are data, and none is dangerous without.
func TestBenign(t *testing.T) {
	f, err := os.Open("testdata/benign.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	all := &Policy{Profiles: slices.Collect(maps.Keys(maps.Collect(Profiles())))}
	count := map[string]int{}
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		b, err := hex.DecodeString(words[2])
		if err != nil {
			t.Fatal(err)
		}
		writer, want := words[0], words[1]
		count[writer]++
		r, err := Analyze(bytes.NewReader(b), int64(len(b)), &Options{Policy: all})
		if err != nil || r.Verdict.String() != want || !r.Complete {
			t.Errorf("%s %d: %v, %s, want %s: %v", writer, count[writer], err, r.Verdict, want, r.Findings)
		}
		if r := analyzed(t, b); r.Verdict == Dangerous {
			t.Errorf("%s %d is dangerous without profiles: %v", writer, count[writer], r.Findings)
		}
	}
	if err := lines.Err(); err != nil || len(count) < 6 || count["torch"] < 30 {
		t.Errorf("%v, read %v", err, count)
	}
}
