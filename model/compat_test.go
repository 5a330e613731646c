// hf.js: our emulation of it against what it says itself, and ours against both.

package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

var fixturesDir = flag.String("fixtures", "", "write the fixtures to this folder, for testdata/hfjs.mjs")

// A named fixture is one that hf.js has been asked about.
type named struct {
	name string
	*Fixture
	want model.Range // what is right
}

// fixtures are the published models and the small ones.
func fixtures() (all []named) {
	for _, p := range publishedModels() {
		all = append(all, named{p.Name, p.Make(), model.Range{Low: p.Total(), High: p.Total()}})
	}
	for _, c := range smallModels() {
		all = append(all, named{c.Name, c.Make(), c.Want})
	}
	return all
}

// files returns the files of a fixture as they begin.
func (f *named) files(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := f.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// digest tells fixtures apart, so that a golden number is that of the fixture as it
// is now.
func digest(files map[string][]byte) string {
	b, _ := json.Marshal(files)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func TestWriteFixtures(t *testing.T) {
	if *fixturesDir == "" {
		t.Skip("no -fixtures")
	}
	for i, f := range fixtures() {
		dir := filepath.Join(*fixturesDir, fmt.Sprintf("%03d", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		files := f.files(t)
		about, err := json.Marshal(map[string]string{"name": f.name, "digest": digest(files)})
		if err != nil {
			t.Fatal(err)
		}
		files["fixture.json"] = about
		for name, b := range files {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A golden file has what @huggingface/hub said.
type hfjsGolden struct {
	Package, Version string
	Fixtures         []struct {
		Name, Digest string
		Params       map[safetensors.Dtype]int64
		Total        int64
		Error        string
	}
}

func readGolden(t *testing.T) hfjsGolden {
	t.Helper()
	b, err := os.ReadFile("testdata/hfjs.json")
	if err != nil {
		t.Fatal(err)
	}
	var g hfjsGolden
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestHFJSIsWhatItSays(t *testing.T) {
	g := readGolden(t)
	all := fixtures()
	if len(g.Fixtures) != len(all) {
		t.Fatalf("%d fixtures, want %d: run testdata/hfjs.mjs again", len(g.Fixtures), len(all))
	}
	for i, f := range all {
		said := g.Fixtures[i]
		if said.Name != f.name || said.Digest != digest(f.files(t)) {
			t.Errorf("%s has changed since hf.js counted %s: run testdata/hfjs.mjs again", f.name, said.Name)
			continue
		}
		x, err := compat.Count(compat.HFJS, f.Model())
		if err != nil {
			t.Fatal(err)
		}
		if x.Version != g.Version {
			t.Fatalf("the numbers are of version %s, the rules of %s", g.Version, x.Version)
		}
		got := make(map[safetensors.Dtype]int64)
		for _, d := range x.Dtypes {
			got[d.Dtype] = d.Params
		}
		// A dtype of no parameters is as good as none.
		maps.DeleteFunc(said.Params, func(_ safetensors.Dtype, n int64) bool { return n == 0 })
		if x.Total != said.Total || !maps.Equal(got, said.Params) {
			t.Errorf("%s: %d, %v; hf.js says %d, %v", f.name, x.Total, got, said.Total, said.Params)
		}
		sum := f.want.High
		for _, d := range x.Differences {
			sum += d.Params
			if !strings.HasSuffix(d.Cause, ".") {
				t.Errorf("%s: %q is no sentence", f.name, d.Cause)
			}
		}
		if sum != x.Total {
			t.Errorf("%s: the differences lead from %d to %d, and hf.js says %d", f.name, f.want.High, sum, x.Total)
		}
	}
}
