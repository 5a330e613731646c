// Writing that ends early: by its context, by an error, by the death of the program.

package shards_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// A trap is a tensor that springs when it is first read.
func trap(size int64, spring func() error) *safetensors.Tensor {
	info := safetensors.TensorInfo{Name: "trap", Dtype: safetensors.U8, Shape: []int64{size}, Offsets: safetensors.Span{End: size}}
	return &safetensors.Tensor{TensorInfo: info, ReaderAt: trapped(spring)}
}

type trapped func() error

func (t trapped) ReadAt(b []byte, off int64) (int, error) {
	if err := t(); err != nil {
		return 0, err
	}
	return len(b), nil
}

// unchanged has write fail in a folder with a checkpoint, and in one that is not
// there, and checks that they are then as they were.
func unchanged(t *testing.T, write func(dir string)) {
	t.Helper()
	old := t.TempDir()
	if _, err := new(shards.Writer).Write(t.Context(), old, bytesOf(0, 3)...); err != nil {
		t.Fatal(err)
	}
	before := contents(t, old)
	write(old)
	if after := contents(t, old); !maps.Equal(before, after) {
		t.Errorf("the folder had %q, and has %q", before, after)
	}
	fresh := filepath.Join(t.TempDir(), "new")
	write(fresh)
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder that was not there is: %v", err)
	}
}

func TestCancelledWriteLeavesNothing(t *testing.T) {
	enough := errors.New("enough")
	for name, tensors := range map[string]func(spring func() error) []*safetensors.Tensor{
		"in the first shard": func(f func() error) []*safetensors.Tensor { return append(bytesOf(0), trap(10<<20, f)) },
		"in the last shard":  func(f func() error) []*safetensors.Tensor { return append(bytesOf(0, 9, 9, 9), trap(1, f)) },
		"in none":            func(f func() error) []*safetensors.Tensor { f(); return bytesOf(0, 9, 9, 9) },
	} {
		t.Run(name, func(t *testing.T) {
			unchanged(t, func(dir string) {
				ctx, cancel := context.WithCancelCause(t.Context())
				reads := 0
				w := formatted(10)
				_, err := w.Write(ctx, dir, tensors(func() error { reads++; cancel(enough); return nil })...)
				if !errors.Is(err, enough) {
					t.Errorf("error %v; want the cause", err)
				}
				// Of a buffer of 512 KiB at a time, one is read, and the one that waits to
				// be written when the context is found to be done.
				if reads > 2 {
					t.Errorf("after the end of its context the source was read %d times", reads-1)
				}
			})
		})
	}
}

func TestFailedReadLeavesNothing(t *testing.T) {
	broken := errors.New("the cable is out")
	unchanged(t, func(dir string) {
		w := formatted(10)
		_, err := w.Write(t.Context(), dir, append(bytesOf(0, 9, 9, 9), trap(8, func() error { return broken }))...)
		var path *fs.PathError
		if !errors.Is(err, broken) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "model-00004-of-00004.safetensors") {
			t.Errorf("error %v; want that of the source, in the fourth shard", err)
		}
	})
}

// TestSourceThatShrinks: the file that a tensor comes from is cut short after its
// header was read, and before its bytes are copied, by the system or by hand.
func TestSourceThatShrinks(t *testing.T) {
	const size = 3 << 20
	for _, left := range []int64{size / 2, 100, 0} {
		unchanged(t, func(dir string) {
			src := t.TempDir()
			write(t, formatted(0), src, bytesOf(0, size)...)
			cp, err := checkpoint.Open(t.Context(), src, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer cp.Close()
			cut, err := cp.Tensor(t.Context(), "t0")
			if err != nil {
				t.Fatal(err)
			}
			first := trap(1, func() error { return os.Truncate(filepath.Join(src, "model.safetensors"), left) })
			w := formatted(0)
			w.Encoder.KeepOrder = true
			_, err = w.Write(t.Context(), dir, first, cut)
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), `tensor "t0"`) || !strings.Contains(err.Error(), "ends at byte ") {
				t.Errorf("cut off at byte %d: %v", left, err)
			}
		})
	}
}

// TestFailureEndsTheOtherShard: the first shard waits until it is told to end, and
// the second, which is written at the same time, fails.
func TestFailureEndsTheOtherShard(t *testing.T) {
	broken := errors.New("the cable is out")
	failed := make(chan bool)
	slow := trap(1<<40, func() error { <-failed; return nil }) // which nobody reads to its end
	fails := trap(1<<40, func() error { close(failed); return broken }).Rename("fails")
	w := formatted(1)
	if _, err := w.Write(t.Context(), t.TempDir(), slow, fails); !errors.Is(err, broken) {
		t.Errorf("error %v; want that of the second shard", err)
	}
}

func TestNameThatIsAFolder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model-00002-of-00002.safetensors")
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	w := formatted(10)
	var path *fs.PathError
	if _, err := w.Write(t.Context(), dir, bytesOf(0, 9, 9)...); !errors.As(err, &path) || path.Path != name {
		t.Errorf("error %v; want one of %s", err, name)
	}
	has(t, dir, filepath.Base(name))
}

// TestKilled kills a program that writes one checkpoint after another to a folder,
// in turn of two kinds: when it has seen the folder without an index a few times,
// which is while files are given their names, or some time later if it never does.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("WRITE_UNTIL_KILLED"); dir != "" {
		w := formatted(10)
		for kind := byte(0); ; kind ^= 100 {
			if _, err := w.Write(t.Context(), dir, bytesOf(kind, 9, 9, 9)...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for late := range 8 {
		dir := t.TempDir()
		write(t, formatted(10), dir, bytesOf(100, 9, 9, 9)...)
		killed(t, dir, late)
		checkRemains(t, dir)
		if r, err := shards.Recover(dir, false); err != nil || r != nil && r.TakenBack != nil {
			t.Errorf("%+v, %v", r, err)
		}
		openDir(t, dir)
		write(t, formatted(10), dir, bytesOf(0, 9, 9, 9)...)
		openDir(t, dir)
	}
}

func killed(t *testing.T, dir string, late int) {
	t.Helper()
	writer := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	writer.Env = append(os.Environ(), "WRITE_UNTIL_KILLED="+dir)
	if err := writer.Start(); err != nil {
		t.Skip(err)
	}
	for range 200_000 {
		if _, err := os.Lstat(filepath.Join(dir, indexName)); err == nil {
			continue
		}
		if late--; late < 0 {
			break
		}
	}
	writer.Process.Kill()
	writer.Wait()
}

// checkRemains checks that the shards under their names are of one kind, that all
// are there if the index is, and that some kind is there as a whole, by its names
// in hidden folders if need be.
func checkRemains(t *testing.T, dir string) {
	t.Helper()
	seen := make(map[byte]int)                 // how many shards of a kind have their names
	anywhere := make(map[byte]map[string]bool) // names of a kind's shards
	index := false
	for name, content := range contents(t, dir) {
		base := name[strings.LastIndex(name, "/")+1:]
		index = index || name == indexName
		if !strings.HasSuffix(base, ".safetensors") || !strings.Contains(base, "-of-") {
			continue
		}
		if !strings.Contains(content, `"t`) || len(content)%8 != 1 { // a multiple of 8, and 9 bytes of data
			continue // not written to its end, and hidden
		}
		kind := content[len(content)-1] / 100
		if anywhere[kind] == nil {
			anywhere[kind] = make(map[string]bool)
		}
		anywhere[kind][base] = true
		if name == base {
			seen[kind]++
		}
	}
	if len(seen) > 1 || index && seen[0]+seen[1] != 3 {
		t.Errorf("of the two kinds %v shards have their names; there is an index: %t", seen, index)
	}
	if len(anywhere[0]) != 3 && len(anywhere[1]) != 3 {
		t.Errorf("no kind is whole: %v", anywhere)
	}
	if index {
		openDir(t, dir)
	}
}
