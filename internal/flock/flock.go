// Package flock locks files against other processes. The system releases a lock when its holder
// closes the file or ends, however it ends.
package flock

import (
	"errors"
	"os"
)

// ErrHeld means that another holder has locked the file.
var ErrHeld = errors.New("another process has locked the file")

// IsAt reports whether an open file still has a name. A lock on a file that was removed meanwhile stops no other
// process.
func IsAt(f *os.File, name string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(open, named)
}
