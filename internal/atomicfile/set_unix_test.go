// Sets and what Unix has besides files: modes, links, pipes.

//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFilesOfASetHaveTheModesOfTheReplaced(t *testing.T) {
	dir := folderOf(t, "1", "2")
	for name, mode := range map[string]fs.FileMode{"1": 0o600, "2": 0o666} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	s := newSet(t, dir, "new", "1", "2", "3")
	if mode := modeOf(t, s.hid); mode.Perm() != 0o700 {
		t.Errorf("the hidden folder has mode %v", mode)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"1": 0o600, "2": 0o666, "3": 0o600} {
		if got := modeOf(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
}

// TestSetReplacesLinks: a cache of downloads has its files as links to what other
// revisions share.
func TestSetReplacesLinks(t *testing.T) {
	dir := folderOf(t, "blob")
	for _, name := range []string{"1", "2"} {
		if err := os.Symlink("blob", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "3")); err != nil {
		t.Fatal(err)
	}
	if err := newSet(t, dir, "new", "1", "2", "3").Commit(); err != nil {
		t.Fatal(err)
	}
	lists(t, dir, "1", "2", "3", "blob")
	holds(t, filepath.Join(dir, "blob"), "old")
	for _, name := range []string{"1", "2", "3"} {
		holds(t, filepath.Join(dir, name), "new")
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is %v, %v; want a file", name, info.Mode(), err)
		}
	}
}

func TestSetReplacesNoPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := NewSet(dir, []string{"m", "pipe"}, nil); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("NewSet: %v", err)
	}
	lists(t, dir, "pipe")
}
