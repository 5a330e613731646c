// The flags of the verb edit that rename by maps.

package change

import (
	"io"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/remap"
)

// maxMap is how large a map is at most, in bytes.
const maxMap = 64 << 20

// readMap reads the flags --map and --reverse.
func (f *editFlags) readMap(sess *cli.Session, e *edit.Edit) error {
	switch {
	case f.mapFile == "" && f.reverse:
		return cli.Usagef("--reverse needs --map")
	case f.mapFile == "":
		return nil
	case len(f.rename)+len(f.copies)+len(f.cast) > 0:
		return cli.Usagef("--map excludes --rename, --copy and --cast: edit the result")
	}
	file, err := os.Open(f.mapFile)
	if err != nil {
		return cli.Usagef("--map: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxMap+1))
	if err != nil {
		return err
	}
	if len(text) > maxMap {
		return cli.Usagef("--map: %q is larger than 64 MiB", filepath.ToSlash(f.mapFile))
	}
	m, err := remap.Parse(filepath.ToSlash(f.mapFile), text)
	if err == nil && f.reverse {
		m, err = m.Reverse()
	}
	if err != nil {
		return cli.Usagef("--map: %w", err)
	}
	e.Arrange = edit.Remap(m, func(idle []remap.Rule) {
		sess.Notice("rules of %q that apply to no tensor: %d; the first is %s", filepath.ToSlash(f.mapFile), len(idle), idle[0])
	})
	return nil
}
