// Conversions of files that are in order.

package convert

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
)

const samples = "../../testdata/torch"

func sample(name string) string { return filepath.Join(samples, filepath.FromSlash(name)) }

// convert converts a source, which has to succeed.
func convert(t *testing.T, c *Conversion, source, target string) *Plan {
	t.Helper()
	p, err := c.Plan(t.Context(), source, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if err := p.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// read returns the tensors of a file, decoded, and its metadata.
func read(t *testing.T, name string) (map[string][]float64, map[string]string) {
	t.Helper()
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values := make(map[string][]float64)
	for tensor := range f.Tensors() {
		v := make([]float64, tensor.NumElems())
		if _, err := safetensors.DecodeAt(tensor, v, 0); err != nil {
			t.Error(err)
		}
		values[tensor.Name] = v
	}
	return values, f.Header.Metadata
}

// files returns the names of what is in a folder, hidden files included.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			names = append(names, filepath.ToSlash(path[len(dir)+1:]))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

func equal(a, b map[string][]float64) bool { return maps.EqualFunc(a, b, slices.Equal) }

// trained are the weights in checkpoint.pt, as make.py has them.
func trained() map[string][]float64 {
	embed := []float64{0, .25, .5, .75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75}
	return map[string][]float64{
		"module.embed.weight": embed, "module.head.weight": embed,
		"module.norm.weight": {1, 1, 0.5},
		"module.proj.weight": {1, 3, 5, 2, 4, 6}, // 1 2 / 3 4 / 5 6, transposed
	}
}

func TestFile(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out.safetensors")
	p := convert(t, &Conversion{}, sample("checkpoint.pt"), target)
	values, metadata := read(t, target)
	if !equal(values, trained()) || !maps.Equal(metadata, map[string]string{"format": "pt"}) {
		t.Errorf("%v, %v", values, metadata)
	}
	s := p.Sources[0]
	var skipped []string
	for _, one := range s.Skipped {
		skipped = append(skipped, one.Path+": "+one.What)
	}
	if s.Root != "model" || s.Tensors != 4 || strings.Join(skipped, "; ") != "epoch: an int; optimizer: 2 tensors and 2 other values" || p.Verdict != pickle.Safe {
		t.Errorf("%q, %d tensors, without %q, %s", s.Root, s.Tensors, skipped, p.Verdict)
	}
	if len(p.Shared) != 1 || !slices.Equal(p.Shared[0], []string{"module.embed.weight", "module.head.weight"}) || len(p.Dropped) > 0 {
		t.Errorf("shared are %v, dropped %v", p.Shared, p.Dropped)
	}
	if got := files(t, filepath.Dir(target)); !slices.Equal(got, []string{"out.safetensors"}) {
		t.Errorf("there is %q", got)
	}
}

func TestChoices(t *testing.T) {
	for _, k := range []struct {
		what     string
		c        Conversion
		source   string
		change   func(want map[string][]float64)
		metadata map[string]string
	}{
		{what: "a prefix", c: Conversion{StripPrefix: []string{"module."}}, source: "checkpoint.pt", change: func(want map[string][]float64) {
			for _, name := range slices.Collect(maps.Keys(want)) {
				want[strings.TrimPrefix(name, "module.")] = want[name]
				delete(want, name)
			}
		}},
		{what: "one prefix after the other", c: Conversion{StripPrefix: []string{"module.", "norm."}}, source: "checkpoint.pt", change: func(want map[string][]float64) {
			for _, name := range slices.Collect(maps.Keys(want)) {
				want[strings.TrimPrefix(strings.TrimPrefix(name, "module."), "norm.")] = want[name]
				delete(want, name)
			}
		}},
		{what: "tied weights once", c: Conversion{Shared: Drop}, source: "checkpoint.pt", change: func(want map[string][]float64) { delete(want, "module.head.weight") },
			metadata: map[string]string{"format": "pt", "module.head.weight": "module.embed.weight"}},
		{what: "everything", c: Conversion{Torch: torch.Options{All: true}}, source: "checkpoint.pt", change: func(want map[string][]float64) {
			for _, name := range slices.Collect(maps.Keys(want)) {
				want["model."+name] = want[name]
				delete(want, name)
			}
			want["optimizer.state.0.step"] = []float64{100}
			want["optimizer.state.0.exp_avg"] = make([]float64, 12)
		}},
		{what: "another root", c: Conversion{Torch: torch.Options{Root: "optimizer.state"}}, source: "checkpoint.pt", change: func(want map[string][]float64) {
			clear(want)
			want["0.step"] = []float64{100}
			want["0.exp_avg"] = make([]float64, 12)
		}},
		{what: "without what has no form", c: Conversion{DropUnsupported: true}, source: "double.pt", change: func(want map[string][]float64) {
			clear(want)
			want["weight"] = []float64{1, 2}
		}},
		{what: "although it is dangerous", c: Conversion{Anyway: true}, source: "extra.pt", change: func(want map[string][]float64) {
			clear(want)
			want["weight"] = []float64{1, 2}
		}},
		{what: "arrays of NumPy", source: "arrays.npz", change: func(want map[string][]float64) {
			clear(want)
			want["weight"] = []float64{0, 1, 2, 3, 4, 5}
			want["bias"] = []float64{1, -1}
		}, metadata: map[string]string{"format": "np"}},
	} {
		t.Run(k.what, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "out.safetensors")
			convert(t, &k.c, sample(k.source), target)
			want := trained()
			k.change(want)
			values, metadata := read(t, target)
			if k.metadata == nil {
				k.metadata = map[string]string{"format": "pt"}
			}
			if !equal(values, want) || !maps.Equal(metadata, k.metadata) {
				t.Errorf("%v, %v, want %v", values, metadata, want)
			}
		})
	}
}

func TestShards(t *testing.T) {
	for _, source := range []string{"sharded", "sharded/pytorch_model.bin.index.json"} {
		target := filepath.Join(t.TempDir(), "new")
		p := convert(t, &Conversion{}, sample(source), target)
		if got := files(t, target); !slices.Equal(got, []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"}) {
			t.Errorf("there is %q", got)
		}
		first, _ := read(t, filepath.Join(target, "model-00001-of-00002.safetensors"))
		second, _ := read(t, filepath.Join(target, "model-00002-of-00002.safetensors"))
		if !equal(first, map[string][]float64{"embed.weight": {0, 1, 2, 3, 4, 5, 6, 7}, "layers.0.weight": {1, 0, 0, 1}}) ||
			!equal(second, map[string][]float64{"norm.weight": {1, 1}, "mask": {1, 0}}) {
			t.Errorf("%v, %v", first, second)
		}
		cp, err := checkpoint.Open(t.Context(), target, nil)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range cp.Validate(t.Context()) {
			if v := r.First(safetensors.Note); err != nil || v != nil {
				t.Error(err, v)
			}
		}
		if n := cp.Index().TotalSize; n != 34 { // 8 and 4 of F16, 2 of F32, 2 of BOOL
			t.Errorf("total_size is %d", n)
		}
		cp.Close()
		if len(p.Warnings) > 0 {
			t.Error(p.Warnings)
		}
	}
}

// TestOneShardIsAFile: a folder with one checkpoint in it becomes a folder with one.
func TestOneShardIsAFile(t *testing.T) {
	source, target := t.TempDir(), filepath.Join(t.TempDir(), "new")
	copyTo(t, sample("double.pt"), filepath.Join(source, "pytorch_model.bin"))
	copyTo(t, sample("checkpoint.pt"), filepath.Join(source, "training_args.bin"))
	convert(t, &Conversion{DropUnsupported: true}, source, target)
	if got := files(t, target); !slices.Equal(got, []string{"model.safetensors"}) {
		t.Errorf("there is %q", got)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDigests: of the source, and of each tensor.
func TestDigests(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out.safetensors")
	var most, total atomic.Int64
	c := &Conversion{Digests: true, Progress: func(done, of int64) {
		total.Store(of)
		for was := most.Load(); done > was && !most.CompareAndSwap(was, done); was = most.Load() {
		}
	}}
	p := convert(t, c, sample("checkpoint.pt"), target)
	b, err := os.ReadFile(sample("checkpoint.pt"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(b); !bytes.Equal(p.Sources[0].SHA256, sum[:]) {
		t.Errorf("the source has %x", p.Sources[0].SHA256)
	}
	f, err := safetensors.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, checked := int64(0), int64(0) // checked before they are written
	for _, tensor := range p.Tensors {
		if tensor.Proof != shards.ByCRC32 {
			checked += tensor.Size()
		}
		is, err := f.Tensor(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := is.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); !bytes.Equal(tensor.SHA256, sum[:]) {
			t.Errorf("%s has %x", tensor.Name, tensor.SHA256)
		}
		data += is.Size()
	}
	if want := int64(len(b)) + checked + 2*(data+f.Header.DataStart()); most.Load() != want || total.Load() != want {
		t.Errorf("%d of %d bytes were reported, want %d", most.Load(), total.Load(), want)
	}
}

// TestBools: what is no bool is written as it is, and said.
func TestBools(t *testing.T) {
	b, err := os.ReadFile(sample("sharded/pytorch_model-00002-of-00002.bin"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "model.bin")
	b[bytes.Index(b, []byte("data/1"))+len("data/1")] = 7 // the first of two bytes
	if err := os.WriteFile(source, b, 0o666); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "out.safetensors")
	p := convert(t, &Conversion{Torch: torch.Options{NoChecksum: true}}, source, target)
	if len(p.Warnings) != 1 || p.Warnings[0] != `tensor "mask", of BOOL, has 1 byte other than 0 and 1, as in the source` {
		t.Errorf("%q", p.Warnings)
	}
	text, err := os.ReadFile(target)
	if err != nil || !bytes.HasSuffix(text, []byte{7, 0}) {
		t.Errorf("%x, %v", text, err)
	}
}

// TestProof: a tensor that is all of a member, in its order, has the archive's checksum,
// and others are compared. In the sample module.proj.weight is transposed.
func TestProof(t *testing.T) {
	for _, noSum := range []bool{false, true} {
		c := &Conversion{Torch: torch.Options{NoChecksum: noSum}}
		p := convert(t, c, sample("checkpoint.pt"), filepath.Join(t.TempDir(), "out.safetensors"))
		for _, tensor := range p.Tensors {
			want := shards.ByCRC32
			if noSum || tensor.Name == "module.proj.weight" {
				want = shards.ByBytes
			}
			if tensor.Proof != want {
				t.Errorf("%s, no checksums %t: %q, want %q", tensor.Name, noSum, tensor.Proof, want)
			}
		}
	}
}
