// Checkpoints that are written: what a folder has afterwards, and who can read it.

package shards_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// bytesOf returns tensors of these sizes in bytes, called t0, t1 and so on, in
// which each byte has the number of its tensor, and seed besides.
func bytesOf(seed byte, sizes ...int) []*safetensors.Tensor {
	var all []*safetensors.Tensor
	for i, size := range sizes {
		info := safetensors.TensorInfo{Name: fmt.Sprintf("t%d", i), Dtype: safetensors.U8, Shape: []int64{int64(size)}}
		info.Offsets.End = int64(size)
		data := bytes.Repeat([]byte{seed + byte(i)}, size)
		all = append(all, &safetensors.Tensor{TensorInfo: info, ReaderAt: bytes.NewReader(data)})
	}
	return all
}

const indexName = "model.safetensors.index.json"

// formatted is a Writer whose files have what some loaders insist on.
func formatted(limit int64) shards.Writer {
	return shards.Writer{
		Encoder:   safetensors.Encoder{Metadata: map[string]string{"format": "pt"}},
		MaxShard:  limit,
		Overwrite: true,
	}
}

func write(t *testing.T, w shards.Writer, dir string, tensors ...*safetensors.Tensor) {
	t.Helper()
	if _, err := w.Write(t.Context(), dir, tensors...); err != nil {
		t.Fatal(err)
	}
}

// contents returns what the files of a folder hold, hidden ones and all, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		b, err := os.ReadFile(path)
		if d.IsDir() {
			b, err = nil, nil
		}
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// has checks which names a folder has, hidden ones and all.
func has(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	for name := range contents(t, dir) {
		got = append(got, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// openDir opens a folder, and checks that nothing is wrong with what is in it.
func openDir(t *testing.T, dir string) *checkpoint.Checkpoint {
	t.Helper()
	cp, err := checkpoint.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cp.Close() })
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if v := r.First(safetensors.Note); v != nil {
			t.Errorf("%s: %v", r.File, v)
		}
	}
	return cp
}

// read returns the tensors of a checkpoint.
func read(t *testing.T, cp *checkpoint.Checkpoint) []*safetensors.Tensor {
	t.Helper()
	var all []*safetensors.Tensor
	for one, err := range cp.Tensors(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one.Tensor)
	}
	return all
}

// digests returns what each tensor is, and the SHA-256 of its bytes, by name.
func digests(t *testing.T, tensors []*safetensors.Tensor) map[string]string {
	t.Helper()
	sums := make(map[string]string)
	for _, one := range tensors {
		b, err := one.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		sums[one.Name] = fmt.Sprintf("%s %s %x", one.Dtype, one.ShapeString(), sha256.Sum256(b))
	}
	return sums
}

func sameDigests(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("tensor %q is %s, want %s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %d tensors, want %d", len(got), len(want))
	}
}

func TestOneShardIsOneFile(t *testing.T) {
	for _, tensors := range [][]*safetensors.Tensor{nil, bytesOf(0, 6, 10)} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		write(t, shards.Writer{MaxShard: 16}, dir, tensors...)
		has(t, dir, "model.safetensors")
		var want bytes.Buffer
		if err := safetensors.Encode(&want, tensors...); err != nil {
			t.Fatal(err)
		}
		if contents(t, dir)["model.safetensors"] != want.String() {
			t.Errorf("the file of %d tensors is not the one that Encode writes", len(tensors))
		}
	}
}

func TestShardsAndIndex(t *testing.T) {
	dir := t.TempDir()
	w := formatted(10)
	w.Stem = "unet"
	tensors := bytesOf(0, 6, 10, 30, 2, 2)
	write(t, w, dir, tensors...)
	want := map[string][]string{ // by hand: 6+10, 10+2 are more than 10, and 30 is
		"unet-00001-of-00004.safetensors": {"t0"},
		"unet-00002-of-00004.safetensors": {"t2"},
		"unet-00003-of-00004.safetensors": {"t1"},
		"unet-00004-of-00004.safetensors": {"t3", "t4"},
	}
	cp := openDir(t, dir)
	for _, shard := range cp.Shards() {
		h, err := cp.Header(t.Context(), shard)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range h.Tensors {
			names = append(names, one.Name)
		}
		if !slices.Equal(names, want[shard]) || h.Metadata["format"] != "pt" {
			t.Errorf("%s has %q and %q, want %q", shard, names, h.Metadata, want[shard])
		}
	}
	if x := cp.Index(); len(cp.Shards()) != 4 || x == nil || x.TotalSize != 50 {
		t.Errorf("the shards are %q, and the index is %+v", cp.Shards(), x)
	}
	sameDigests(t, digests(t, read(t, cp)), digests(t, tensors))
	has(t, dir, append(cp.Shards(), "unet.safetensors.index.json")...)
}

func TestSameBytesOnEveryRun(t *testing.T) {
	var first map[string]string
	for range 5 {
		dir := t.TempDir()
		write(t, formatted(100), dir, bytesOf(0, 90, 20, 70, 90, 10, 80, 30)...)
		got := contents(t, dir)
		if first == nil {
			first = got
		}
		for name := range first {
			if first[name] != got[name] {
				t.Errorf("%s differs from one run to the next", name)
			}
		}
	}
}

// TestSplitAndMergeForeignFiles takes files of another program, with 36 tensors of
// 12 dtypes, apart and together again.
func TestSplitAndMergeForeignFiles(t *testing.T) {
	const fixture = "../../../shared/fixtures/FluxML+SafeTensors.jl/"
	whole, err := checkpoint.Open(t.Context(), fixture+"non_sharded/model.safetensors", nil)
	if err != nil {
		t.Skip(err)
	}
	defer whole.Close()
	tensors := read(t, whole)
	want := digests(t, tensors)
	if len(want) != 36 {
		t.Fatalf("the file has %d tensors", len(want))
	}
	var total int64
	for _, one := range tensors {
		total += one.Size()
	}
	for _, limit := range []int64{1, 1000, total / 6, total / 2, total} {
		dir := t.TempDir()
		write(t, formatted(limit), dir, tensors...)
		parts := openDir(t, dir)
		sameDigests(t, digests(t, read(t, parts)), want)
		write(t, formatted(0), dir, read(t, parts)...)
		has(t, dir, "model.safetensors")
		sameDigests(t, digests(t, read(t, openDir(t, dir))), want)
	}
}

// TestInPlace writes a folder over and over with tensors that come out of it.
func TestInPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be replaced")
	}
	dir := t.TempDir()
	tensors := bytesOf(0, 6, 10, 30, 2, 2)
	want := digests(t, tensors)
	write(t, formatted(0), dir, tensors...)
	for _, step := range []struct {
		limit int64
		files int
	}{{10, 5}, {10, 5}, {31, 3}, {0, 1}, {0, 1}, {40, 3}} {
		cp := openDir(t, dir)
		write(t, formatted(step.limit), dir, read(t, cp)...)
		if got := len(contents(t, dir)); got != step.files {
			t.Errorf("with a limit of %d the folder has %d files, want %d", step.limit, got, step.files)
		}
		sameDigests(t, digests(t, read(t, openDir(t, dir))), want)
	}
}

func TestFilesThatWouldBeLeft(t *testing.T) {
	others := []string{
		"README.md", "adapter_model.safetensors", "model.fp16.safetensors", "model-00001-of-00002.fp16.safetensors",
		"model.safetensors.index.fp16.json", "other-00001-of-00002.safetensors", "other.safetensors.index.json",
	}
	const index = "model.safetensors.index.json"
	numbered := []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", index}
	for _, test := range []struct {
		name  string
		limit int64
		there []string
		left  string // the first that would be left, or ""
		want  []string
	}{
		{"none", 10, nil, "", numbered},
		{"the same", 10, numbered, numbered[0], numbered},
		{"shards of another number", 10, []string{index, "model-00003-of-00003.safetensors"}, index, numbered},
		{"shards counted from 0", 10, []string{"model-00000-of-00002.safetensors"}, "model-00000-of-00002.safetensors", numbered},
		{"one file", 10, []string{"model.safetensors"}, "model.safetensors", numbered},
		{"an index and shards", 0, numbered, index, []string{"model.safetensors"}},
		{"an index alone", 0, []string{index}, index, []string{"model.safetensors"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range append(test.there, others...) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			before := contents(t, dir)
			w := shards.Writer{MaxShard: test.limit}
			_, err := w.Write(t.Context(), dir, bytesOf(0, 10, 10)...)
			switch {
			case test.left == "" && err != nil:
				t.Error(err)
			case test.left != "" && (!errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), test.left)):
				t.Errorf("error %v; want one that names %s", err, test.left)
			case test.left != "":
				has(t, dir, append(test.there, others...)...)
			}
			w.Overwrite = true
			write(t, w, dir, bytesOf(0, 10, 10)...)
			has(t, dir, append(test.want, others...)...)
			for _, name := range others {
				if got := contents(t, dir)[name]; got != before[name] {
					t.Errorf("%s holds %q", name, got)
				}
			}
		})
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	two := bytesOf(0, 10, 10)
	named := func(name string) []*safetensors.Tensor { return append(bytesOf(0, 10), two[0].Rename(name)) }
	odd := bytesOf(0, 10)
	odd[0].Dtype = "F12"
	long := bytesOf(0, 10)
	long[0].Shape = []int64{11}
	for _, test := range []struct {
		name    string
		w       shards.Writer
		tensors []*safetensors.Tensor
		want    string
		rule    error
	}{
		{"no tensor", shards.Writer{}, append(bytesOf(0, 1), nil), "at index 1 is nil", nil},
		{"one name twice", shards.Writer{MaxShard: 10}, named("t0"), `"t0"`, safetensors.RuleDuplicateName},
		{"a reserved name", shards.Writer{MaxShard: 10}, named("__metadata__"), "__metadata__", safetensors.RuleReservedName},
		{"no UTF-8", shards.Writer{MaxShard: 10}, named("\xff"), "UTF-8", safetensors.RuleUTF8},
		{"no dtype", shards.Writer{}, odd, "F12", safetensors.RuleDtype},
		{"no such shape", shards.Writer{}, long, "t0", safetensors.RuleTensorSize},
		{"a negative limit", shards.Writer{MaxShard: -1}, two, "MaxShard is -1", nil},
		{"another folder", shards.Writer{Stem: "a/b"}, two, "slash", nil},
		{"a hidden file", shards.Writer{Stem: ".model"}, two, "dot", nil},
		{"a backslash", shards.Writer{Stem: `a\b`}, two, "backslash", nil},
		{"a line end", shards.Writer{Stem: "a\nb"}, two, `"a\nb"`, nil},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		_, err := test.w.Write(t.Context(), dir, test.tensors...)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.rule != nil && !errors.Is(err, test.rule) {
			t.Errorf("%s: error %v; want %q", test.name, err, test.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a folder, %v", test.name, err)
		}
	}
}
