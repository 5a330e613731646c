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

// unlisted are the names in the pickles that no list and no profile allows: classes of libraries that are rarely saved,
// and functions that prepare an access.
var unlisted = []string{
	"_io.BytesIO", "_queue.Empty", "builtins.iter", "builtins.reversed", "contextlib.nullcontext", "operator.attrgetter",
	"operator.itemgetter", "scipy.stats._kde.gaussian_kde", "tokenize.TokenInfo",
}

// TestBenign judges pickles that .ci/interop/benign.py collects with --golden. With profiles, they are safe unless they
// have unlisted names; without profiles, none is dangerous.
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
		b, err := hex.DecodeString(words[1])
		if err != nil {
			t.Fatal(err)
		}
		writer, want := words[0], Safe
		count[writer]++
		r, err := Analyze(bytes.NewReader(b), int64(len(b)), &Options{Policy: all})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(r.Imports, func(im Import) bool {
			return slices.Contains(unlisted, im.ResolvedModule+"."+im.ResolvedName)
		}) {
			want = Suspicious
		}
		if r.Verdict != want || !r.Complete {
			t.Errorf("%s %d: %s, want %s: %v", writer, count[writer], r.Verdict, want, r.Findings)
		}
		if r := analyzed(t, b); r.Verdict == Dangerous {
			t.Errorf("%s %d is dangerous without profiles: %v", writer, count[writer], r.Findings)
		}
	}
	if err := lines.Err(); err != nil || len(count) < 6 || count["torch"] < 30 {
		t.Errorf("%v, read %v", err, count)
	}
}
