// Data that comes from files: which the system may copy, and others may change.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors"
)

// largeFile writes a file of a few large tensors and many small ones, in the
// canonical order, and returns its name and its bytes.
func largeFile(t *testing.T) (string, []byte) {
	t.Helper()
	var tensors []*safetensors.Tensor
	for i, size := range []int{3 << 20, 10, 0, 1<<20 + 1, 100, 7, 1 << 20, 2_500_000} {
		tensors = append(tensors, handMade(fmt.Sprint(i), safetensors.U8, pattern(size), int64(size)))
	}
	b := encoded(t, safetensors.Encoder{}, tensors...)
	return onDisk(t, b), b
}

// TestEncodeFromFileToFile copies the tensors of a file, whole, in parts and
// out of order, where the system may do the copying.
func TestEncodeFromFileToFile(t *testing.T) {
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		name, _ := largeFile(t)
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all := slices.Collect(f.Tensors())
		for what, tensors := range map[string][]*safetensors.Tensor{
			"all": all, "some": append(all[:2:2], all[4:]...), "none": nil, "one": all[3:4],
			"in reverse": {all[7], all[6], all[5], all[4], all[3], all[2], all[1], all[0]},
			"renamed":    {all[0].Rename("z"), all[1], all[7].Rename("")},
		} {
			for _, e := range []safetensors.Encoder{{}, {KeepOrder: true, Align: 4096}} {
				want := encoded(t, e, tensors...)
				disk, err := os.Create(filepath.Join(t.TempDir(), "copy"))
				if err != nil {
					t.Fatal(err)
				}
				err = e.Encode(disk, tensors...)
				disk.Close()
				if got, readErr := os.ReadFile(disk.Name()); err != nil || readErr != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %+v: %d bytes, %v, %v; not as through memory", what, e, len(got), err, readErr)
				}
			}
		}
	})
}

// TestEncodeFromOneFileAtOnce has several goroutines that copy from one File,
// each in an order of its own. A position that they shared would give them one
// another's bytes.
func TestEncodeFromOneFileAtOnce(t *testing.T) {
	name, _ := largeFile(t)
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	e := safetensors.Encoder{KeepOrder: true}
	all := slices.Collect(f.Tensors())
	var wg sync.WaitGroup
	for i := range 4 {
		turned := slices.Concat(all[i:], all[:i])
		want := encoded(t, e, turned...)
		wg.Go(func() {
			name := filepath.Join(dir, fmt.Sprint(i))
			for range 3 {
				if err := e.WriteFile(name, turned...); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
					t.Errorf("copy %d is another file: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestEncodeAppends checks that a file is written from where it is.
func TestEncodeAppends(t *testing.T) {
	name, want := largeFile(t)
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tensors := slices.Collect(f.Tensors())
	for _, flag := range []int{0, os.O_APPEND} {
		name := onDisk(t, []byte("before"))
		disk, err := os.OpenFile(name, os.O_RDWR|flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		if flag == 0 {
			disk.Seek(0, io.SeekEnd)
		}
		err = safetensors.Encode(disk, tensors...)
		_, afterErr := disk.WriteString("after")
		disk.Close()
		got, readErr := os.ReadFile(name)
		if err := errors.Join(err, afterErr, readErr); err != nil || string(got) != "before"+string(want)+"after" {
			t.Errorf("flag %d: %v, %d bytes", flag, err, len(got))
		}
	}
}

// TestEncodeFromAFileThatMoved has a source whose name is gone, or another
// file's, while it is open.
func TestEncodeFromAFileThatMoved(t *testing.T) {
	name, want := largeFile(t)
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, change := range []func() error{
		func() error { return os.Rename(name, name+".moved") },
		func() error { return os.WriteFile(name, make([]byte, len(want)), 0o666) },
	} {
		if err := change(); err != nil {
			t.Skipf("files that are open do not move here: %v", err)
		}
		copied := filepath.Join(t.TempDir(), "copy")
		tensors := slices.Collect(f.Tensors())
		if err := safetensors.WriteFile(copied, tensors...); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(copied); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the copy is another file: %v", err)
		}
	}
}

// TestEncodeFromAFileThatShrinks cuts a file short after it was opened. What is
// copied by the system then ends without an error.
func TestEncodeFromAFileThatShrinks(t *testing.T) {
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		name, whole := largeFile(t)
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tensors := slices.Collect(f.Tensors())
		// 1,000,000 bytes less than all: of tensor 7, the last, of 2,500,000 bytes,
		// 1,500,000 are left. Once more so: 500,000.
		for i, words := range []string{"read 1500000 of the 2500000 bytes of tensor \"7\"", "read 500000 of the 2500000 bytes of tensor \"7\""} {
			if err := os.Truncate(name, int64(len(whole)-(i+1)*1_000_000)); err != nil {
				t.Skipf("files that are open do not shrink here: %v", err)
			}
			disk, err := os.Create(filepath.Join(t.TempDir(), "copy"))
			if err != nil {
				t.Fatal(err)
			}
			defer disk.Close()
			for _, w := range []io.Writer{disk, io.Discard} {
				err := safetensors.Encode(w, tensors...)
				if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), words) && !o.Mapped {
					t.Errorf("to %T: %v, want %s", w, err, words)
				}
			}
		}
	})
}
