// The corpus: checkpoints with known tensors, and such as are to be refused.

package torch

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// corpus is where the samples lie, if they are there.
const corpus = "../../../shared/pickle"

// A sample is a row of the corpus's manifest.
type sample struct{ id, file, verdict, convert string }

func samples(t testing.TB) []sample {
	f, err := os.Open(filepath.Join(corpus, "manifest.csv"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	var list []sample
	for _, row := range rows[1:] {
		list = append(list, sample{at(row, "id"), at(row, "file"), at(row, "expected_verdict"), at(row, "convert")})
	}
	return list
}

// expected is a tensor of tensors.json.
type expected struct {
	Dtype  string
	Shape  []int64
	SHA256 string
}

func expectations(t testing.TB) map[string]map[string]expected {
	text, err := os.ReadFile(filepath.Join(corpus, "tensors.json"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	var all map[string]map[string]expected
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func open(t testing.TB, name string, o *Options) (*Checkpoint, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return Open(bytes.NewReader(b), int64(len(b)), o)
}

// TestCorpusTensors: dtype, shape and bytes of every tensor that is expected, and no
// other tensors.
func TestCorpusTensors(t *testing.T) {
	all := expectations(t)
	for _, s := range samples(t) {
		want := all[s.id]
		if len(want) == 0 {
			continue
		}
		t.Run(s.id, func(t *testing.T) {
			cp, err := open(t, filepath.Join(corpus, s.file), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tensor := range cp.Tensors {
				w, ok := want[tensor.Name]
				if !ok {
					t.Errorf("%q is not expected", tensor.Name)
					continue
				}
				delete(want, tensor.Name)
				b, err := tensor.Bytes()
				if err != nil {
					t.Error(err)
				}
				sum := sha256.Sum256(b)
				if string(tensor.Dtype) != w.Dtype || !slices.Equal(tensor.Shape, w.Shape) || hex.EncodeToString(sum[:]) != w.SHA256 {
					t.Errorf("%q: %s %v %x, want %+v", tensor.Name, tensor.Dtype, tensor.Shape, b, w)
				}
			}
			for name, w := range want {
				unsupported := slices.ContainsFunc(cp.Skipped, func(s Skipped) bool { return s.Unsupported && s.Path == name })
				if s.convert == "partial" && unsupported {
					continue
				}
				t.Errorf("there is no %q, %+v", name, w)
			}
			if err := cp.CheckSums(); err != nil {
				t.Error(err)
			}
			t.Log(cp.Format, cp.Root, cp.Skipped, cp.Warnings)
		})
	}
}

// TestCorpusOutcomes: what is to be refused is refused, unless it is so because it is
// dangerous to load, which is not judged here.
func TestCorpusOutcomes(t *testing.T) {
	for _, s := range samples(t) {
		if s.convert == "n/a" || s.convert == "" {
			continue
		}
		t.Run(s.id, func(t *testing.T) {
			cp, err := open(t, filepath.Join(corpus, s.file), nil)
			if err == nil {
				err = cp.CheckSums()
			}
			t.Log(s.verdict, s.convert, err)
			switch s.convert {
			case "refuse", "refuse-unless-forced", "refuse-or-disambiguate":
				if err == nil && s.verdict != "dangerous" {
					t.Errorf("%d tensors of what is to be refused", len(cp.Tensors))
				}
			default:
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}
