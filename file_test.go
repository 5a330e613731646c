// Files on disk: opened, closed, read by many at once, changed by others.

package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors"
)

// onDisk writes a file, and returns its name.
func onDisk(t *testing.T, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// eachWay runs a test with files that are read, and with files that are mapped.
func eachWay(t *testing.T, test func(t *testing.T, o safetensors.Opener)) {
	t.Helper()
	t.Run("read", func(t *testing.T) { test(t, safetensors.Opener{}) })
	t.Run("mapped", func(t *testing.T) { test(t, safetensors.Opener{Mapped: true}) })
}

// TestOpenFails checks that every error of opening is a *fs.PathError with the
// name, and wraps what went wrong.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	file, _ := threeTensors(4)
	secret := filepath.Join(dir, "secret.safetensors")
	if err := os.WriteFile(secret, file, 0); err != nil {
		t.Fatal(err)
	}
	broken := onDisk(t, file[:len(file)-1])
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		for _, test := range []struct {
			name, path string
			want       error
			skip       bool
		}{
			{"missing", filepath.Join(dir, "absent.safetensors"), fs.ErrNotExist, false},
			{"in a missing folder", filepath.Join(dir, "absent", "a.safetensors"), fs.ErrNotExist, false},
			{"no permission", secret, fs.ErrPermission, os.Geteuid() <= 0}, // root may, and Windows has no such mode
			{"a folder", dir, nil, false},
			{"the empty name", "", nil, false},
			{"not valid", broken, safetensors.RuleTruncated, false},
			{"empty", onDisk(t, nil), safetensors.RuleTooShort, false},
		} {
			if test.skip {
				continue
			}
			f, err := o.Open(test.path)
			var path *fs.PathError
			if f != nil || !errors.As(err, &path) || path.Path != test.path {
				t.Errorf("%s: %v, %T %v, want a *fs.PathError of %q", test.name, f, err, err, test.path)
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", test.name, err, test.want)
			}
		}
	})
}

// TestOpenOfABrokenFile checks that the error is a path, a violation and a rule
// at once, in one line.
func TestOpenOfABrokenFile(t *testing.T) {
	name := onDisk(t, start(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 0))
	_, err := safetensors.Open(name)
	var v *safetensors.Violation
	if !errors.As(err, &v) || v.Tensor != "a" || v.Rule != safetensors.RuleTruncated {
		t.Errorf("%v, want a violation by a", err)
	}
	if want := "open " + name + ": safetensors: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line that begins with %q", err, want)
	}
}

// TestOpenFollowsLinks opens a file by a symbolic link, as caches of models have
// them.
func TestOpenFollowsLinks(t *testing.T) {
	file, want := threeTensors(4)
	name := onDisk(t, file)
	link := filepath.Join(t.TempDir(), "link.safetensors")
	if err := os.Symlink(name, link); err != nil {
		t.Skip(err)
	}
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		f, err := o.Open(link)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got := bytesOf(t, f, "b"); !bytes.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// bytesOf returns the bytes of a tensor.
func bytesOf(t *testing.T, f *safetensors.File, name string) []byte {
	t.Helper()
	tensor, err := f.Tensor(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensor.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAbsentTensor checks the error for a name that is not there, which may be
// anything.
func TestAbsentTensor(t *testing.T) {
	file, _ := threeTensors(4)
	f, err := safetensors.NewFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "B", "b ", "b\n\x1b[31m", "__metadata__", strings.Repeat("b", 1000)} {
		tensor, err := f.Tensor(name)
		if tensor != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, %v", name, tensor, err)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 400) {
			t.Errorf("%q: %q is no line", name, err)
		}
	}
}

// TestTensors checks the order, and that a loop can be left.
func TestTensors(t *testing.T) {
	b, err := (&safetensors.Header{Tensors: infos("z", "a", "m")}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, "zam"...)
	f, err := safetensors.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var names string
	for tensor := range f.Tensors() {
		names += tensor.Name
		if got, err := tensor.Bytes(); err != nil || string(got) != tensor.Name {
			t.Errorf("tensor %s holds %q, %v", tensor.Name, got, err)
		}
	}
	if names != "zam" {
		t.Errorf("the tensors are %q, want the order of the header", names)
	}
	for tensor := range f.Tensors() {
		if tensor.Name != "z" {
			t.Errorf("%s comes first", tensor.Name)
		}
		break
	}
	if err := f.Close(); err != nil {
		t.Errorf("closing what was not opened: %v", err)
	}
}

// TestClose checks that a tensor of a closed file gives an error, and no crash.
func TestClose(t *testing.T) {
	file, _ := threeTensors(100_000)
	name := onDisk(t, file)
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tensor, err := f.Tensor("b")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := tensor.Bytes(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Bytes: %v", err)
		}
		if _, err := tensor.ReadAt(make([]byte, 10), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("ReadAt: %v", err)
		}
		if _, err := tensor.WriteTo(io.Discard); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("WriteTo: %v", err)
		}
	})
}

// TestManyReaders has many goroutines use one file, and the same tensors, at
// once. It is for the race detector.
func TestManyReaders(t *testing.T) {
	file, want := threeTensors(100_000)
	name := onDisk(t, file)
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		shared, err := f.Tensor("b")
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 4 {
					for tensor := range f.Tensors() {
						if f.Header.Lookup(tensor.Name) == nil {
							t.Errorf("%q is not found", tensor.Name)
						}
						if _, err := tensor.WriteTo(io.Discard); err != nil {
							t.Error(err)
						}
					}
					if got, err := shared.Bytes(); err != nil || !bytes.Equal(got, want) {
						t.Errorf("Bytes: %v", err)
					}
					part := make([]byte, 1000)
					if _, err := shared.ReadAt(part, int64(i)*1000); err != nil || !bytes.Equal(part, want[i*1000:][:1000]) {
						t.Errorf("ReadAt: %v", err)
					}
					if got, err := io.ReadAll(shared.Open()); err != nil || !bytes.Equal(got, want) {
						t.Errorf("Open: %v", err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestFileCutByAnother has another process, played by this one, cut the file
// while it is open, in the middle of a page. What is gone is an error, and
// neither zeros nor the end of the program.
func TestFileCutByAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut there")
	}
	file, want := threeTensors(1 << 20)
	const left = 300_000 // bytes of b
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		name := onDisk(t, file)
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tensor, err := f.Tensor("b")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, int64(len(file)-len(want)+left)); err != nil {
			t.Fatal(err)
		}
		if b, err := tensor.Bytes(); b != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Bytes: %d bytes, %v", len(b), err)
		}
		for _, off := range []int64{0, left - 100, left - 1, left, left + 1, 1<<20 - 1} {
			got := make([]byte, min(200_000, 1<<20-off))
			n, err := tensor.ReadAt(got, off)
			if whole := off+int64(len(got)) <= left; whole && err != nil || !whole && !shortBy(err, "of the 1048576 bytes") {
				t.Errorf("%d bytes at %d: %v", len(got), off, err)
			}
			if int64(n) > max(left-off, 0) || !bytes.Equal(got[:n], want[off:][:n]) {
				t.Errorf("%d bytes at %d: %d were read, and are not those that are there", len(got), off, n)
			}
		}
		var written bytes.Buffer
		if n, err := tensor.WriteTo(&written); n > left || !shortBy(err, "of the 1048576 bytes") || !bytes.HasPrefix(want, written.Bytes()) {
			t.Errorf("WriteTo: %d bytes, %v", n, err)
		}
	})
}

// TestFileCutBeforeItsHeaderIsRead checks that a file which is shorter than its
// size says is an error of reading, and not a broken file.
func TestFileCutBeforeItsHeaderIsRead(t *testing.T) {
	file, _ := threeTensors(100)
	for _, n := range []int{0, 5, 8, 20, 150} { // the header ends at 174
		var v *safetensors.Violation
		if _, err := safetensors.NewFile(bytes.NewReader(file[:n]), int64(len(file))); !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &v) {
			t.Errorf("NewFile of %d bytes: %v", n, err)
		}
		if r, err := safetensors.Validate(bytes.NewReader(file[:n]), int64(len(file))); r != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Validate of %d bytes: %v, %v", n, r, err)
		}
	}
}

// TestNewFilePassesOnErrors checks that a reader that fails is no broken file.
func TestNewFilePassesOnErrors(t *testing.T) {
	boom := errors.New("the disk is on fire")
	file, _ := threeTensors(100)
	for _, from := range []int{0, 4, 8, 50} {
		var v *safetensors.Violation
		disk := &failingAfter{b: file, from: from, err: boom}
		if _, err := safetensors.NewFile(disk, int64(len(file))); !errors.Is(err, boom) || errors.As(err, &v) {
			t.Errorf("NewFile failing at %d: %v", from, err)
		}
		if r, err := safetensors.Validate(disk, int64(len(file))); r != nil || !errors.Is(err, boom) {
			t.Errorf("Validate failing at %d: %v, %v", from, r, err)
		}
	}
}

// TestSizesThatAreNone checks that a size below zero is a file that is too short.
func TestSizesThatAreNone(t *testing.T) {
	for _, size := range []int64{-1, -1 << 63, 0, 7} {
		if _, err := safetensors.NewFile(bytes.NewReader(nil), size); !errors.Is(err, safetensors.RuleTooShort) {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// TestMappedBytesAreNotCopied opens a file of 32 MiB, and asks for all of it.
func TestMappedBytesAreNotCopied(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("there may be no mapping here")
	}
	file, want := threeTensors(32 << 20)
	name := onDisk(t, file)
	mapped := safetensors.Opener{Mapped: true}
	f, err := mapped.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := allocated()
	got := bytesOf(t, f, "b")
	if grown := allocated() - before; grown > 64<<10 {
		t.Errorf("Bytes took %d bytes for a tensor of %d", grown, len(want))
	}
	if !bytes.Equal(got, want) {
		t.Error("the bytes are others")
	}
	if cap(got) != len(got) {
		t.Errorf("what comes after the tensor can be reached by appending: %d of %d", len(got), cap(got))
	}
}
