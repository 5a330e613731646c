// Merging and splitting: the same tensors, and only the files that may be replaced.

package shards_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// carryOut writes a plan, and returns the receipt.
func carryOut(t *testing.T, p *shards.Plan, err error) *shards.Receipt {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSplitAndMerge(t *testing.T) {
	ctx := t.Context()
	src := t.TempDir()
	write(t, formatted(0), src, bytesOf(0, 6, 10, 30, 2, 2)...)
	whole := openDir(t, src)
	want := digests(t, read(t, whole))

	dir := filepath.Join(t.TempDir(), "parts")
	p, err := shards.Split(ctx, dir, &shards.RewriteOptions{MaxShard: 10, Digests: true}, whole)
	r := carryOut(t, p, err)
	if len(r.Files) != 5 || r.Index != 4 || !r.Verified {
		t.Errorf("the receipt is %+v", r)
	}
	parts := openDir(t, dir)
	sameDigests(t, digests(t, read(t, parts)), want)

	file := filepath.Join(t.TempDir(), "one.safetensors")
	p, err = shards.Merge(ctx, file, nil, parts)
	carryOut(t, p, err)
	merged, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if original, err := os.ReadFile(filepath.Join(src, "model.safetensors")); err != nil || !bytes.Equal(merged, original) {
		t.Errorf("the merged file is not the one that was split, %v", err)
	}

	var stream bytes.Buffer
	p, err = shards.Merge(ctx, "", nil, parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stream(ctx, &stream); err != nil || !bytes.Equal(stream.Bytes(), merged) {
		t.Errorf("the stream is not the merged file, %v", err)
	}
}

func TestMergeDuplicates(t *testing.T) {
	open := func(seed byte, metadata string) *checkpoint.Checkpoint {
		dir := t.TempDir()
		w := shards.Writer{Encoder: safetensors.Encoder{Metadata: map[string]string{"k": metadata}}}
		write(t, w, dir, bytesOf(seed, 3)...)
		return openDirLoosely(t, dir)
	}
	a, same, other, meta := open(0, "1"), open(0, "1"), open(9, "1"), open(0, "2")
	file := filepath.Join(t.TempDir(), "one.safetensors")
	var twice *shards.DuplicateError
	if _, err := shards.Merge(t.Context(), file, nil, a, same); !errors.As(err, &twice) || twice.Difference != "" || twice.Tensor != "t0" {
		t.Errorf("error %v, want that of a duplicate", err)
	}
	dedup := &shards.RewriteOptions{Dedup: true}
	if _, err := shards.Merge(t.Context(), file, dedup, a, other); !errors.As(err, &twice) || !strings.Contains(twice.Difference, "byte 0") {
		t.Errorf("error %v, want that of a tensor with two values", err)
	}
	var conflict *shards.MetadataError
	if _, err := shards.Merge(t.Context(), file, dedup, a, meta); !errors.As(err, &conflict) || conflict.Key != "k" || conflict.Values != [2]string{"1", "2"} {
		t.Errorf("error %v, want that of metadata", err)
	}
	for choice, want := range map[shards.Conflicts]string{shards.KeepFirst: "1", shards.KeepLast: "2", shards.DropBoth: ""} {
		p, err := shards.Merge(t.Context(), file, &shards.RewriteOptions{Dedup: true, Conflicts: choice}, a, same, meta)
		if err != nil || p.Shards[0].Encoder.Metadata["k"] != want || len(p.Shards[0].Tensors) != 1 {
			t.Errorf("%s: %+v, %v", choice, p, err)
		}
	}
}

// openDirLoosely opens a folder whose metadata is unusual.
func openDirLoosely(t *testing.T, dir string) *checkpoint.Checkpoint {
	t.Helper()
	cp, err := checkpoint.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cp.Close() })
	return cp
}

func TestWhatMayBeReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced")
	}
	ctx := t.Context()
	dir := t.TempDir()
	write(t, formatted(10), dir, bytesOf(0, 6, 10, 30)...)
	cp := openDir(t, dir)
	if _, err := shards.Split(ctx, dir, &shards.RewriteOptions{MaxShard: 10, Overwrite: true}, cp); !errors.Is(err, shards.ErrIsInput) || !errors.Is(err, shards.ErrRefused) {
		t.Errorf("error %v, want that the output is the input", err)
	}
	if _, err := shards.Split(ctx, t.TempDir(), &shards.RewriteOptions{InPlace: true}, cp); !errors.Is(err, shards.ErrRefused) {
		t.Errorf("in place, to another folder: error %v", err)
	}
	other := t.TempDir()
	write(t, formatted(0), other, bytesOf(1, 5)...)
	if _, err := shards.Split(ctx, other, nil, cp); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want that the file exists", err)
	}
	p, err := shards.Split(ctx, "", &shards.RewriteOptions{MaxShard: 40, InPlace: true}, cp)
	carryOut(t, p, err)
	if got := openDir(t, dir); len(got.Shards()) != 2 {
		t.Errorf("there are %q", got.Shards())
	}
}

// TestReplacedWhilePlanned: another process replaces an input after it was read. Its file
// stays.
func TestReplacedWhilePlanned(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced")
	}
	dir, other := t.TempDir(), t.TempDir()
	write(t, formatted(10), dir, bytesOf(0, 6, 10)...)
	write(t, formatted(10), other, bytesOf(9, 6, 10)...)
	cp := openDir(t, dir)
	p, err := shards.Split(t.Context(), "", &shards.RewriteOptions{MaxShard: 1, InPlace: true}, cp)
	if err != nil {
		t.Fatal(err)
	}
	name := cp.Shards()[0]
	if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	if _, err := p.Write(t.Context()); err == nil {
		t.Error("a file that was replaced meanwhile is overwritten")
	}
	if got := contents(t, dir); len(got) != len(before) || got[name] != before[name] {
		t.Errorf("the folder had %d files, and has %d", len(before), len(got))
	}
}

func TestSelect(t *testing.T) {
	dir := t.TempDir()
	write(t, formatted(10), dir, bytesOf(0, 6, 10, 30)...)
	cp := openDir(t, dir)
	opts := &shards.RewriteOptions{Select: func(name string) bool { return name == "t1" }}
	p, err := shards.Split(t.Context(), t.TempDir(), opts, cp)
	if err != nil || len(p.Shards) != 1 || len(p.Shards[0].Tensors) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	opts.Select = func(string) bool { return false }
	if _, err := shards.Split(t.Context(), t.TempDir(), opts, cp); !errors.Is(err, shards.ErrRefused) {
		t.Errorf("no tensor: error %v", err)
	}
	f, err := shards.Subset(context.Background(), cp, func(name string) bool { return name != "t1" })
	if err != nil || f.Tensors != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	b := make([]byte, f.Size())
	if _, err := f.ReaderAt(t.Context()).ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	e := safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}
	all := bytesOf(0, 6, 10, 30)
	if err := e.Encode(&want, all[0], all[2]); err != nil || !bytes.Equal(b, want.Bytes()) {
		t.Errorf("the subset is not the file that the Encoder writes, %v", err)
	}
}
