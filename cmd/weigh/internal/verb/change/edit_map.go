// The flags of the verb edit that rename by tables and maps.

package change

import (
	"io"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/remap"
	"github.com/weightools/safetensors/edit/respell"
)

// maxMap is how large a map is at most, in bytes.
const maxMap = 64 << 20

// readArrangement reads the flags --names, --map and --reverse.
func (f *editFlags) readArrangement(sess *cli.Session, e *edit.Edit) error {
	switch {
	case f.mapFile == "" && f.reverse:
		return cli.Usagef("--reverse needs --map")
	case f.mapFile+f.names == "":
		return nil
	case f.mapFile != "" && f.names != "":
		return cli.Usagef("--map and --names exclude each other: edit the result")
	case len(f.rename)+len(f.copies)+len(f.cast) > 0:
		return cli.Usagef("--map and --names exclude --rename, --copy and --cast: edit the result")
	case f.mapFile != "":
		return f.readMap(sess, e)
	}
	var err error
	if e.Arrange, err = respell.To(f.names); err != nil {
		return cli.Usagef("--names: %w", err)
	}
	return nil
}

// readMap reads the map.
func (f *editFlags) readMap(sess *cli.Session, e *edit.Edit) error {
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
