// Permissions and flushing of folders on Unix.

//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// inherit gives f the owner, group and permissions of old, as far as possible. Only privileged
// processes can change the owner, and some file systems have no owners. Before, f has at most the
// permissions of old.
func inherit(f *os.File, old fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	is, known := now.Sys().(*syscall.Stat_t)
	was, _ := old.Sys().(*syscall.Stat_t)
	if known && was != nil && (is.Uid != was.Uid || is.Gid != was.Gid) {
		if f.Chown(int(was.Uid), int(was.Gid)) != nil {
			_ = f.Chown(-1, int(was.Gid)) // allowed for groups of the user
		}
	}
	// umask and Chown may have cleared some bits.
	_ = f.Chmod(old.Mode().Perm())
}

// SyncFolder flushes the names in a folder to disk. It ignores folders that cannot be opened for
// reading, and file systems that do not support it.
func SyncFolder(dir string) error {
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
