// A disk that is full, which Linux can make.

package shards_test

import (
	"errors"
	"io/fs"
	"maps"
	"syscall"
	"testing"
)

func TestFullDiskLeavesTheOldCheckpoint(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	w := formatted(50_000)
	write(t, w, dir, bytesOf(0, 40_000, 40_000)...)
	before := contents(t, dir)
	var path *fs.PathError
	_, err := w.Write(t.Context(), dir, bytesOf(1, 40_000, 40_000, 40_000, 40_000, 40_000)...)
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path) {
		t.Errorf("Write: %v", err)
	}
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Error("the folder has changed")
	}
	openDir(t, dir).Close()
}
