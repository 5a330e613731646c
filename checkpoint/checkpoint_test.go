// Opening and reading checkpoints: which files are opened, and what is read.

package checkpoint_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// TestSample reads the sample, whose totals testdata/README.md gives.
func TestSample(t *testing.T) {
	for _, ref := range []string{"../testdata/sample", "../testdata/sample/", "../testdata/sample/model.safetensors.index.json"} {
		cp, err := checkpoint.Open(t.Context(), ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found := validate(t, cp); len(found) > 0 {
			t.Errorf("%s: %v", ref, found)
		}
		cp, err = checkpoint.Open(t.Context(), ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer cp.Close()
		type total struct{ tensors, params, bytes int64 }
		totals := make(map[safetensors.Dtype]total)
		for one, err := range cp.Tensors(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			b, err := one.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			was := totals[one.Dtype]
			totals[one.Dtype] = total{was.tensors + 1, was.params + one.NumElems(), was.bytes + int64(len(b))}
		}
		if want := (total{4, 148_480, 296_960}); totals[safetensors.BF16] != want {
			t.Errorf("%s: BF16 %v, want %v", ref, totals[safetensors.BF16], want)
		}
		if want := (total{2, 128, 512}); totals[safetensors.F32] != want {
			t.Errorf("%s: F32 %v, want %v", ref, totals[safetensors.F32], want)
		}
		if x := cp.Index(); x.TotalSize != 297_472 || x.TotalParameters != 148_608 || len(x.Tensors) != 6 {
			t.Errorf("%s: index says %d bytes, %d parameters, %d tensors", ref, x.TotalSize, x.TotalParameters, len(x.Tensors))
		}
	}
}

// TestOneFileAndSixShards reads the same 36 tensors, as another writer has
// published them, from one file and from six.
func TestOneFileAndSixShards(t *testing.T) {
	const fixtures = "../../shared/fixtures/FluxML+SafeTensors.jl/"
	if _, err := os.Stat(fixtures); err != nil {
		t.Skip(err)
	}
	read := func(ref string) []string {
		cp, err := checkpoint.Open(t.Context(), fixtures+ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer cp.Close()
		var said []string
		for one, err := range cp.Tensors(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			b, err := one.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			again, err := cp.Tensor(t.Context(), one.Name)
			if err != nil {
				t.Fatal(err)
			}
			if other, err := again.Bytes(); err != nil || !bytes.Equal(b, other) {
				t.Errorf("%s: tensor %q by name has other bytes: %v", ref, one.Name, err)
			}
			said = append(said, fmt.Sprintf("%s %s %s %x", one.Name, one.Dtype, one.ShapeString(), b))
		}
		slices.Sort(said)
		return said
	}
	one, six := read("non_sharded/model.safetensors"), read("sharded")
	if len(one) != 36 || !slices.Equal(one, six) {
		t.Errorf("%d tensors in one file, %d in six shards, and they are not the same", len(one), len(six))
	}
}

func TestOpenIsLazy(t *testing.T) {
	s := &spy{Store: two(t).store()}
	cp := open(t, listingSpy{s}, "", nil)
	if want := []string{indexName}; !slices.Equal(s.opened, want) {
		t.Errorf("New opened %q, want %q", s.opened, want)
	}
	if _, err := cp.Tensor(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if want := []string{indexName, shardTwo}; !slices.Equal(s.opened, want) {
		t.Errorf("after reading one tensor, opened are %q, want %q", s.opened, want)
	}
	for range 2 {
		if _, err := tensors(t, cp); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{indexName, shardTwo, shardOne}; !slices.Equal(s.opened, want) {
		t.Errorf("after reading all twice, opened are %q, want %q", s.opened, want)
	}
}

// TestOpenedOnce reads everything from many goroutines at once.
func TestOpenedOnce(t *testing.T) {
	s := &spy{Store: two(t).store()}
	cp := open(t, listingSpy{s}, "", nil)
	want := []string{"a F32 [4] [1]", "b F32 [4] [2]", "c F32 [4] [3]"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := tensors(t, cp); err != nil || !slices.Equal(got, want) {
				t.Errorf("tensors %q, %v", got, err)
			}
			for _, err := range cp.Validate(t.Context()) {
				if err != nil {
					t.Error(err)
				}
			}
			if h, err := cp.Header(t.Context(), shardTwo); err != nil || len(h.Tensors) != 2 {
				t.Errorf("header %v, %v", h, err)
			}
		})
	}
	all.Wait()
	slices.Sort(s.opened)
	if want := []string{shardOne, shardTwo, indexName}; !slices.Equal(s.opened, want) {
		t.Errorf("opened %q, want each once", s.opened)
	}
	if err := cp.Close(); err != nil || s.open != 0 {
		t.Errorf("%d objects are open after Close: %v", s.open, err)
	}
	if _, err := cp.Tensor(t.Context(), "a"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a tensor after Close: %v", err)
	}
}

func TestTensor(t *testing.T) {
	listed := two(t)
	listed.index(t, indexName, map[string][]string{
		shardOne: {"a", "misplaced"}, shardTwo: {"b"}, "model-00003-of-00003.safetensors": {"gone"},
	})
	listed[shardTwo] = file(t, f32("b", 2), f32("misplaced", 3), f32("unlisted", 4), f32("a", 9))
	loose := folder{shardOne: file(t, f32("a", 1)), shardTwo: file(t, f32("b", 2), f32("a", 3))}
	for _, test := range []struct {
		name   string
		in     folder
		tensor string
		first  byte
		err    error  // that is wrapped
		says   string // part of the error
	}{
		{"where the index says", listed, "a", 1, nil, ""},
		{"not in the index", listed, "unlisted", 0, fs.ErrNotExist, `no tensor "unlisted" in the index`},
		{"not in its shard", listed, "misplaced", 0, fs.ErrNotExist, `is not in shard "model-00001-of-00002.safetensors"`},
		{"in a missing shard", listed, "gone", 0, checkpoint.RuleShardMissing, `shard "model-00003-of-00003.safetensors" is missing, and the index "model.safetensors.index.json"`},
		{"in one of two files", loose, "b", 2, nil, ""},
		{"in both files", loose, "a", 0, nil, "there is no index to choose one"},
		{"in neither file", loose, "x", 0, fs.ErrNotExist, `no tensor "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			one, err := test.in.open(t, "", nil).Tensor(t.Context(), test.tensor)
			if test.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				if b, err := one.Bytes(); err != nil || b[0] != test.first || len(b) != 16 {
					t.Errorf("bytes %v, %v", b, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.says) || test.err != nil && !errors.Is(err, test.err) {
				t.Errorf("error %v, want one that says %q", err, test.says)
			}
		})
	}
}

// TestTensorsOfTheIndex: of a tensor that is in two shards, the index's; of one
// that is in another shard than the index says, the only one; and all others.
func TestTensorsOfTheIndex(t *testing.T) {
	f := folder{
		shardOne: file(t, f32("a", 1), f32("c", 9)),
		shardTwo: file(t, f32("b", 2), f32("c", 3), f32("d", 4), f32("extra", 5)),
	}
	f.index(t, indexName, map[string][]string{shardOne: {"a", "d"}, shardTwo: {"b", "c"}})
	got, err := tensors(t, f.open(t, "", nil))
	want := []string{"a F32 [4] [1]", "b F32 [4] [2]", "c F32 [4] [3]", "d F32 [4] [4]", "extra F32 [4] [5]"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("tensors %q, %v", got, err)
	}
}

func TestTensorsGoOn(t *testing.T) {
	f := two(t)
	f.index(t, indexName, map[string][]string{"model-00000-of-00002.safetensors": {"x"}, shardOne: {"a"}, shardTwo: {"b", "c"}})
	f[shardOne] = []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 0\n")
	got, err := tensors(t, f.open(t, "", nil))
	if want := []string{"b F32 [4] [2]", "c F32 [4] [3]"}; !slices.Equal(got, want) {
		t.Errorf("tensors %q, want %q", got, want)
	}
	if !errors.Is(err, checkpoint.RuleShardMissing) || !errors.Is(err, safetensors.RuleNotSafetensors) || !strings.Contains(err.Error(), shardOne) {
		t.Errorf("error %v, want that of the missing shard and that of the pointer", err)
	}
}

func TestBrokenIndexIsNotReliedOn(t *testing.T) {
	f := two(t)
	f[indexName] = []byte(`{"weight_map":{"a":"` + shardOne + `","b":"../` + shardTwo + `"}}`)
	cp := f.open(t, "", nil)
	if _, err := cp.Tensor(t.Context(), "a"); !errors.Is(err, checkpoint.RuleIndexPath) {
		t.Errorf("a tensor of a hostile index: %v", err)
	}
	if got, err := tensors(t, cp); len(got) != 1 || !errors.Is(err, checkpoint.RuleIndexPath) {
		t.Errorf("tensors of a hostile index: %q, %v", got, err)
	}
}

func TestLenient(t *testing.T) {
	twice := `{"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`
	f := folder{"model.safetensors": append(append([]byte{byte(len(twice)), 0, 0, 0, 0, 0, 0, 0}, twice...), 7)}
	if _, err := f.open(t, "", nil).Tensor(t.Context(), "a"); !errors.Is(err, safetensors.RuleDuplicateName) {
		t.Errorf("strictly: %v", err)
	}
	lenient := &checkpoint.Options{Opener: safetensors.Opener{Lenient: true}}
	if _, err := f.open(t, "", lenient).Tensor(t.Context(), "a"); err != nil {
		t.Errorf("leniently: %v", err)
	}
	limited := &checkpoint.Options{Opener: safetensors.Opener{MaxTensors: 1}}
	if _, err := f.open(t, "", limited).Header(t.Context(), "model.safetensors"); !errors.Is(err, safetensors.RuleLimit) {
		t.Errorf("with a limit: %v", err)
	}
}

// TestHubCache opens a snapshot of the Hub's cache, whose files are links to
// blobs beside it.
func TestHubCache(t *testing.T) {
	root := t.TempDir()
	blobs, snapshot := filepath.Join(root, "blobs"), filepath.Join(root, "snapshots", "0123abcd")
	for _, dir := range []string{blobs, snapshot} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range two(t) {
		blob := fmt.Sprintf("%x", sha256.Sum256(content))
		if err := os.WriteFile(filepath.Join(blobs, blob), content, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..", "..", "blobs", blob), filepath.Join(snapshot, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, ref := range []string{snapshot, filepath.Join(snapshot, indexName), root} {
		cp, err := checkpoint.Open(t.Context(), ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tensors(t, cp); len(got) != 3 || err != nil {
			t.Errorf("%s: tensors %q, %v", ref, got, err)
		}
		if found := validate(t, cp); len(found) > 0 {
			t.Errorf("%s: %v", ref, found)
		}
	}
}

func TestResolve(t *testing.T) {
	if _, err := checkpoint.Open(t.Context(), "hf://org/repo", nil); err == nil || !strings.Contains(err.Error(), "Options.Resolve") {
		t.Errorf("without Resolve: %v", err)
	}
	f := two(t)
	var asked store.Ref
	opts := &checkpoint.Options{Resolve: func(_ context.Context, r store.Ref) (store.Store, error) {
		asked = r
		return f.store(), nil
	}}
	cp, err := checkpoint.Open(t.Context(), "hf://org/repo@main/"+shardTwo, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	if got, err := tensors(t, cp); len(got) != 2 || err != nil || asked.Root != "org/repo" {
		t.Errorf("tensors %q of %v: %v", got, asked, err)
	}
	if h, err := cp.Header(t.Context(), "model.safetensors"); h != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the header of what is no shard: %v, %v", h, err)
	}
}

// TestTensorIsWhole reads past the end, and a shard that has become shorter.
func TestTensorIsWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model.safetensors")
	content := file(t, f32("a", 1), f32("b", 2))
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	cp, err := checkpoint.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	a, err := cp.Tensor(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := a.ReadAt(make([]byte, 20), 0); n != 16 || err != io.EOF {
		t.Errorf("a read past the end of the tensor: %d, %v", n, err)
	}
	if err := os.Truncate(name, int64(len(content)-20)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Bytes(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a tensor that is cut off since: %v", err)
	}
}

// TestUnreadableIndexIsAFault tests that the files of a folder do not pass for its model if
// the index cannot be read.
func TestUnreadableIndexIsAFault(t *testing.T) {
	for _, text := range []string{"{bad", "<!DOCTYPE html><html></html>", "[]"} {
		for _, f := range []folder{two(t), {"model.safetensors": file(t, f32("a", 1))}} {
			f[indexName] = []byte(text)
			cp := f.open(t, "", nil)
			if err := cp.Set().Fault(); !errors.Is(err, checkpoint.RuleIndexJSON) {
				t.Errorf("%q: fault %v", text, err)
			}
			if _, err := cp.Tensor(t.Context(), "a"); !errors.Is(err, checkpoint.RuleIndexJSON) {
				t.Errorf("%q: a tensor: %v", text, err)
			}
			if _, err := tensors(t, cp); !errors.Is(err, checkpoint.RuleIndexJSON) {
				t.Errorf("%q: all tensors: %v", text, err)
			}
		}
	}
}

// TestTensorsThatNoShardHas tests that the last error tells what the shards lack.
func TestTensorsThatNoShardHas(t *testing.T) {
	f := two(t)
	f.index(t, indexName, map[string][]string{shardOne: {"a", "lost", "too"}, shardTwo: {"b", "c"}})
	got, err := tensors(t, f.open(t, "", nil))
	if want := []string{"a F32 [4] [1]", "b F32 [4] [2]", "c F32 [4] [3]"}; !slices.Equal(got, want) {
		t.Errorf("tensors %q, want %q", got, want)
	}
	if !errors.Is(err, checkpoint.RuleTensorMissing) || !strings.Contains(err.Error(), `2 tensors, the first "lost", are in no shard`) {
		t.Errorf("error %v", err)
	}
}
