// Sets in folders that cannot be written, and on a disk that is full.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSetWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	unprivileged(t, dir, func() {
		put(t, filepath.Join(dir, "1"), "old")
		os.Chmod(filepath.Join(dir, "1"), 0o444)
		if _, err := NewSet(dir, []string{"1", "index"}, nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a file that may not be written: %v", err)
		}
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o777)
		var path *fs.PathError
		if _, err := NewSet(dir, []string{"index"}, nil); !errors.Is(err, fs.ErrPermission) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "index") {
			t.Errorf("a folder that may not be written: %v", err)
		}
		if _, err := NewSet(filepath.Join(dir, "new"), []string{"index"}, nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a folder in it: %v", err)
		}
	})
	lists(t, dir, "1")
	holds(t, filepath.Join(dir, "1"), "old")
}

func TestSetOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	put(t, filepath.Join(dir, "1"), "old")
	s := newSet(t, dir, "new", "1")
	var path *fs.PathError
	err := writeOne(s, "2", strings.Repeat("new", 64<<10))
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path) || path.Path != filepath.Join(dir, "2") {
		t.Errorf("Write: %v", err)
	}
	if err := s.Abort(); err != nil {
		t.Error(err)
	}
	lists(t, dir, "1")
	holds(t, filepath.Join(dir, "1"), "old")
}
