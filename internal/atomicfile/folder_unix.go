// Flushing of folders on Unix.

//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

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
