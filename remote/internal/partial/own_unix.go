// Who else has a file, on Unix.

//go:build unix

package partial

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// noFollow makes opening a symbolic link an error.
const noFollow = syscall.O_NOFOLLOW

// isSole reports whether a file has one name, and belongs to the user or lies in a folder that
// others cannot write. Some network file systems do not show the user as the owner.
func isSole(f *os.File, info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	folder, err := os.Stat(filepath.Dir(f.Name()))
	return s.Nlink == 1 && (int(s.Uid) == os.Geteuid() || err == nil && folder.Mode()&0o022 == 0)
}
