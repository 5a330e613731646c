// Data that comes from files: which the system may copy, and others may change.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// A placedFile is a file behind a reader of another kind, as that of a store, and
// notes what it is asked for.
type placedFile struct {
	*os.File
	size    int64
	largest int
	err     error
}

func (p *placedFile) ReadAt(b []byte, off int64) (int, error) {
	p.largest = max(p.largest, len(b))
	if p.err != nil {
		return 0, p.err
	}
	return p.File.ReadAt(b, off)
}

func (p *placedFile) ReadsFile() (*os.File, int64) { return p.File, p.size }

// TestEncodeLeavesFilesToTheSystem: of what lies in a file, wherever it comes from,
// no more is read than it takes to hear whether it may be.
func TestEncodeLeavesFilesToTheSystem(t *testing.T) {
	name, whole := largeFile(t)
	disk, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	src := &placedFile{File: disk, size: int64(len(whole))}
	f, err := safetensors.NewFile(src, src.size)
	if err != nil {
		t.Fatal(err)
	}
	tensors := slices.Collect(f.Tensors())
	for i, tensor := range tensors {
		tensors[i] = &safetensors.Tensor{TensorInfo: tensor.TensorInfo, ReaderAt: io.NewSectionReader(tensor, 0, tensor.Size())}
	}
	src.largest = 0
	out := filepath.Join(t.TempDir(), "copy")
	if err := safetensors.WriteFile(out, tensors...); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); !bytes.Equal(got, whole) || err != nil {
		t.Errorf("another file, of %d bytes, %v", len(got), err)
	}
	if src.largest > 1 && runtime.GOOS == "linux" {
		t.Errorf("%d bytes were read at once", src.largest)
	}
	src.err = errors.New("no longer")
	if err := safetensors.WriteFile(out+"2", tensors...); !errors.Is(err, src.err) {
		t.Errorf("a source that refuses: %v", err)
	}
	src.err, src.size = nil, src.size-1 // it does not vouch for the last byte any more
	src.largest = 0
	if err := safetensors.WriteFile(out+"3", tensors[len(tensors)-1]); err != nil || src.largest < 1000 {
		t.Errorf("what it does not vouch for: %v, %d bytes were read at once", err, src.largest)
	}
}

// TestEncodeReadsThroughOtherReaders: a reader that has the methods of a section by
// embedding one, and changes the bytes on the way, is read.
func TestEncodeReadsThroughOtherReaders(t *testing.T) {
	b := pattern(3 << 20)
	disk, err := os.Open(onDisk(t, b))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	tensor := handMade("a", safetensors.U8, b, int64(len(b)))
	tensor.ReaderAt = inverting{io.NewSectionReader(disk, 0, int64(len(b)))}
	out := filepath.Join(t.TempDir(), "copy")
	if err := safetensors.WriteFile(out, tensor); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || len(got) < len(b) {
		t.Fatal(len(got), err)
	}
	for i, c := range got[len(got)-len(b):] {
		if c != ^b[i] {
			t.Fatalf("byte %d is %#x, want %#x", i, c, ^b[i])
		}
	}
}

type inverting struct{ *io.SectionReader }

func (r inverting) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.SectionReader.ReadAt(b, off)
	for i := range b[:n] {
		b[i] = ^b[i]
	}
	return n, err
}
