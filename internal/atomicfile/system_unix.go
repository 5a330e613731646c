// What a file inherits from the one it replaces, and folders on the disk, on Unix.

//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// inherit gives f the owner, the group and the permissions of old, as far as the
// system lets it: only a privileged process can give a file away, and some file
// systems know of no owners. Until then f allows what old allows, or less.
func inherit(f *os.File, old fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	is, known := now.Sys().(*syscall.Stat_t)
	was, _ := old.Sys().(*syscall.Stat_t)
	if known && was != nil && (is.Uid != was.Uid || is.Gid != was.Gid) {
		if f.Chown(int(was.Uid), int(was.Gid)) != nil {
			_ = f.Chown(-1, int(was.Gid)) // anybody can, to a group of their own
		}
	}
	// umask took some of these, and Chown others.
	_ = f.Chmod(old.Mode().Perm())
}

// syncFolder makes the disk hold the names in a folder. A folder that cannot be
// opened for reading, and a file system that has no such thing, are no errors:
// there is nothing to be done.
func syncFolder(dir string) error {
	if dir == "" {
		dir = "."
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
