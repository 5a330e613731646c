// Free space on disks.

package cli

import (
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// CheckSpace prints a notice if the disk of dir has less free space than need. It is not an error,
// since some file systems share or compress data.
func (s *Session) CheckSpace(dir string, need int64) {
	free := FreeSpace(dir)
	for free < 0 && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir) // dir does not exist yet
		free = FreeSpace(dir)
	}
	if free >= 0 && need > free {
		s.Notice("the disk of %q has %s free, but %s will be written", dir, typeset.Bytes(free), typeset.Bytes(need))
	}
}
