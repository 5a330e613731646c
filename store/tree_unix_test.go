// Pipes, and names that are no text: files that only Unix has.

//go:build linux || darwin || freebsd || netbsd || openbsd

package store_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/weightools/safetensors/store"
)

// TestNamedPipe opens a pipe that nobody writes to. A wrong Open waits for ever.
func TestNamedPipe(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": nil})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	symlink(t, "pipe", dir, "link")
	s := store.Dir(dir)
	for _, name := range []string{"pipe", "link"} {
		if _, err := s.Open(t.Context(), name); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "a named pipe") {
			t.Errorf("Open(%q): %v; want that it is a named pipe", name, err)
		}
	}
	list := map[string]error{}
	for e, err := range s.List(t.Context(), "") {
		list[e.Name] = err
	}
	if len(list) != 3 || list["a"] != nil || !errors.Is(list["pipe"], store.ErrNotRegular) || !errors.Is(list["link"], store.ErrNotRegular) {
		t.Errorf("List: %v", list)
	}
}

// A link to itself is not regular, and does not end the listing of the folder.
func TestCircularLink(t *testing.T) {
	dir := fill(t, map[string][]byte{"a": nil})
	symlink(t, "loop", dir, "loop")
	s := store.Dir(dir)
	if _, err := s.Open(t.Context(), "loop"); !errors.Is(err, store.ErrNotRegular) || !strings.Contains(err.Error(), "a circular link") {
		t.Errorf("Open: %v; want that it is a circular link", err)
	}
	list := map[string]error{}
	for e, err := range s.List(t.Context(), "") {
		list[e.Name] = err
	}
	if len(list) != 2 || list["a"] != nil || !errors.Is(list["loop"], store.ErrNotRegular) {
		t.Errorf("List: %v", list)
	}
}

// TestNamesThatAreNotText: the file systems of Unix accept any bytes in names.
func TestNamesThatAreNotText(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "d\xfe"), 0o777); err != nil {
		t.Skip(err) // macOS refuses the name
	}
	const name = "d\xfe/a\xff"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := store.Dir(dir)
	checkList(t, s, name+" 4")
	o, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if b, err := io.ReadAll(io.NewSectionReader(o.ReaderAt(t.Context()), 0, o.Size())); err != nil || string(b) != "text" {
		t.Errorf("read %q, %v", b, err)
	}
	for _, bad := range []string{"d\xfe/../a", "/a\xff", "a\xff/", "a\xff\x00"} {
		if o, err := s.Open(t.Context(), bad); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Open(%q): %v, %v", bad, o, err)
		}
	}
}

// TestProc reads a file whose content the kernel makes when it is read.
func TestProc(t *testing.T) {
	want, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Skip(err)
	}
	o, err := store.Dir("/proc/self").Open(t.Context(), "limits")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(o.ReaderAt(t.Context()), 0, o.Size()))
	if err != nil || !bytes.Equal(b, want) {
		t.Errorf("read %q, %v", b, err)
	}
	if err := store.Unchanged(o); err != nil {
		t.Error(err)
	}
	o.Close()
	if _, err := o.ReaderAt(t.Context()).ReadAt(b, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a read after Close: %v", err)
	}
}
