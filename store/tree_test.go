// Dir and FS pass the suite, and refuse what is not a regular file.

package store_test

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

// fill writes files to a new directory, and returns its path.
func fill(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDir(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return store.Dir(fill(t, files))
	})
}

// TestDirWithSeparator: a path may end in a separator, as Ref.String gives it.
func TestDirWithSeparator(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return store.Dir(fill(t, files) + string(filepath.Separator))
	})
}

func TestCurrentDir(t *testing.T) {
	for _, path := range []string{"", "."} {
		t.Run(path, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				t.Chdir(fill(t, files))
				return store.Dir(path)
			})
		})
	}
}

func TestFSOfMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		fsys := make(fstest.MapFS)
		for name, content := range files {
			fsys[name] = &fstest.MapFile{Data: content}
		}
		return store.FS(fsys)
	})
}

func TestFSOfDirectory(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return store.FS(os.DirFS(fill(t, files)))
	})
}

//go:embed store.go
var embedded embed.FS

func TestFSOfEmbedded(t *testing.T) {
	want, err := embedded.ReadFile("store.go")
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, store.FS(embedded), "store.go"); !bytes.Equal(got, want) {
		t.Error("an embedded file has other bytes in the store")
	}
}

// content returns all bytes of an object.
func content(t *testing.T, s store.Store, name string) []byte {
	t.Helper()
	o, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	b := make([]byte, o.Size())
	if _, err := o.ReaderAt(t.Context()).ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// readerless is a file system whose files can only be read in order.
type readerless struct{ fs.FS }

func (f readerless) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return struct{ fs.File }{file}, nil
}

func TestFSWithoutReaderAt(t *testing.T) {
	s := store.FS(readerless{fstest.MapFS{"a": {}}})
	o, err := s.Open(t.Context(), "a")
	if o != nil || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "io.ReaderAt") {
		t.Errorf("Open = %v, %v; want errors.ErrUnsupported, and io.ReaderAt named", o, err)
	}
}

// TestIrregularFiles has files of every mode that is not regular. None may be
// opened: that could wait for ever.
func TestIrregularFiles(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeNamedPipe:                  "a named pipe",
		fs.ModeSocket:                     "a socket",
		fs.ModeDevice:                     "a device",
		fs.ModeDevice | fs.ModeCharDevice: "a device",
		fs.ModeIrregular:                  "a file of unknown size",
	} {
		s := store.FS(unopenable{fstest.MapFS{"a": {Mode: mode}}, t})
		o, err := s.Open(t.Context(), "a")
		if o != nil || !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: Open = %v, %v; want it to be %s", mode, o, err, want)
		}
		for e, err := range s.List(t.Context(), "") {
			if e.Name != "a" || !errors.Is(err, store.ErrNotRegular) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: listed as %v, %v; want an error that it is %s", mode, e, err, want)
			}
		}
	}
}

// unopenable is a file system of which only directories are opened.
type unopenable struct {
	fstest.MapFS
	t *testing.T
}

func (f unopenable) Open(name string) (fs.File, error) {
	if name != "." {
		f.t.Errorf("%q was opened", name)
	}
	return f.MapFS.Open(name)
}

func TestAbsentDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent")
	s := store.Dir(path)
	if _, err := s.Open(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v; want fs.ErrNotExist", err)
	}
	n := 0
	for e, err := range s.List(t.Context(), "") {
		n++
		if e.Name != "" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("List: %v, %v; want fs.ErrNotExist", e, err)
		}
	}
	if n != 1 {
		t.Errorf("List yields %d times; want once", n)
	}
}

// TestErrorsNamePaths: what a user has to look at is the path, not the name.
func TestErrorsNamePaths(t *testing.T) {
	dir := fill(t, map[string][]byte{"folder/file": nil})
	for _, name := range []string{"absent", "folder", "folder/absent", "folder/file/absent"} {
		_, err := store.Dir(dir).Open(t.Context(), name)
		path := filepath.Join(dir, filepath.FromSlash(name))
		// Messages quote some of these.
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `\\`, `\`), path) {
			t.Errorf("Open(%q): %v; want the path %s in it", name, err, path)
		}
	}
}

// TestTruncatedFile cuts a file short while it is open, to less than it has been
// read from and to more.
func TestTruncatedFile(t *testing.T) {
	const size, keep = 10_000, 6_000
	path := filepath.Join(fill(t, map[string][]byte{"a": bytes.Repeat([]byte{1}, size)}), "a")
	o, err := store.Dir(filepath.Dir(path)).Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := os.Truncate(path, keep); err != nil {
		t.Fatal(err)
	}
	r := o.ReaderAt(t.Context())
	for _, test := range []struct{ off, len, n int }{
		{0, size, keep},
		{0, size + 1, keep}, // not io.EOF, though past the end in any case
		{keep - 1, 2, 1},
		{keep, 1, 0},
		{size - 1, 1, 0},
		{size - 1, 2, 0},
	} {
		n, err := r.ReadAt(make([]byte, test.len), int64(test.off))
		if n != test.n || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("ReadAt(%d bytes, %d) = %d, %v; want %d, io.ErrUnexpectedEOF", test.len, test.off, n, err, test.n)
			continue
		}
		// The end is at keep, or before what was asked for if that begins later.
		end := fmt.Sprintf("ends at byte %d; it had %d bytes", max(keep, test.off), size)
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), end) {
			t.Errorf("ReadAt(%d bytes, %d): %q; want the path and %q", test.len, test.off, err, end)
		}
	}
	if n, err := r.ReadAt(make([]byte, keep), 0); n != keep || err != nil {
		t.Errorf("ReadAt of what is left = %d, %v; want %d bytes", n, err, keep)
	}
	if n, err := r.ReadAt(make([]byte, 1), size); n != 0 || err != io.EOF {
		t.Errorf("ReadAt past what was there = %d, %v; want io.EOF", n, err)
	}
}

// TestGrownFile: what is appended to an open file is no part of the object.
func TestGrownFile(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": []byte("12345")})
	o, err := store.Dir(dir).Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("1234567"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 7)
	if n, err := o.ReaderAt(t.Context()).ReadAt(got, 0); n != 5 || err != io.EOF {
		t.Errorf("ReadAt = %d, %v; want 5, EOF", n, err)
	}
	if o.Size() != 5 {
		t.Errorf("Size() = %d; want 5", o.Size())
	}
}

func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("every file is readable here")
	}
	dir := fill(t, map[string][]byte{"a": nil})
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Dir(dir).Open(t.Context(), "a"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open: %v; want fs.ErrPermission", err)
	}
}
