// Pipes, and names that are no text: files that only Unix has.

//go:build linux || darwin || freebsd || netbsd || openbsd

package store_test

import (
	"errors"
	"io/fs"
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

// TestNamesThatAreNotText: such a file cannot be named, so listing says so.
func TestNamesThatAreNotText(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "\xff"), 0o666); err != nil {
		t.Skip(err) // macOS refuses the name
	}
	checkList(t, store.Dir(dir), "\xff: file name \"\\xff\" is not UTF-8")
}
