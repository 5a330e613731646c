// Free space on disks.

package cli

import (
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// CheckSpace says early that files of so many bytes may not fit the disk. It is no
// error: some file systems need less, since they share what is the same.
func (s *Session) CheckSpace(dir string, need int64) {
	free := FreeSpace(dir)
	for free < 0 && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir) // it has yet to be made
		free = FreeSpace(dir)
	}
	if free >= 0 && need > free {
		s.Notice("the disk of %q has %s free, and %s are to be written", dir, typeset.Bytes(free), typeset.Bytes(need))
	}
}
