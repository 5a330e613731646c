// The number of hard links of a file, on Unix.

//go:build unix

package edit

import (
	"os"
	"syscall"
)

// hasOneName reports whether a file is known to have no other hard link.
func hasOneName(name string) (bool, error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 1, nil
}
