// The flags of the verb edit that rename by tables and maps.

package change

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/adapter"
	"github.com/weightools/safetensors/edit/plain"
	"github.com/weightools/safetensors/edit/remap"
	"github.com/weightools/safetensors/edit/respell"
	"github.com/weightools/safetensors/edit/tie"
	"github.com/weightools/safetensors/model/adapters"
)

// maxMap is how large a map is at most, in bytes.
const maxMap = 64 << 20

// readArrangement reads the flags --names, --map, --reverse, --tie, --untie and --unpack.
func (f *editFlags) readArrangement(sess *cli.Session, e *edit.Edit) error {
	if f.unpack {
		return f.readUnpack(e)
	}
	if f.tie || f.untie {
		return f.readTie(e)
	}
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
	return f.readNames(e)
}

// readNames reads the form of names. Models and adapters have different forms, and only the source tells what it is.
func (f *editFlags) readNames(e *edit.Edit) error {
	ofModel, err := respell.To(f.names)
	ofAdapter, ok := adapter.Convert(adapters.Spelling(f.names))
	if err != nil && !ok {
		return cli.Usagef("--names: %w; for adapters %s", err, wordsOf(adapter.Forms()))
	}
	e.Arrange = func(in *edit.Input) (*edit.Output, error) {
		switch isAdapter := adapter.Is(in.Tensors); {
		case isAdapter && ok:
			if len(e.Set) > 0 { // it can say which model is meant
				metadata := make(map[string]string)
				maps.Copy(metadata, in.Metadata)
				maps.Copy(metadata, e.Set)
				in.Metadata = metadata
			}
			return ofAdapter(in)
		case isAdapter:
			return nil, fmt.Errorf("adapters have no form %q; their forms are %s", f.names, wordsOf(adapter.Forms()))
		case err != nil:
			return nil, err
		}
		return ofModel(in)
	}
	return nil
}

// wordsOf lists forms of adapters.
func wordsOf(forms []adapters.Spelling) string {
	words := make([]string, len(forms))
	for i, one := range forms {
		words[i] = string(one)
	}
	return strings.Join(words, ", ")
}

// readTie reads the flags --tie and --untie.
func (f *editFlags) readTie(e *edit.Edit) error {
	if f.tie && f.untie || f.mapFile+f.names != "" || len(f.rename)+len(f.copies) > 0 {
		return cli.Usagef("--tie and --untie exclude each other, --map, --names, --rename and --copy: edit the result")
	}
	if e.Arrange = tie.Tie; f.untie {
		e.Arrange = tie.Untie
	}
	return nil
}

// readUnpack reads the flag --unpack. The casts are those of the plain model.
func (f *editFlags) readUnpack(e *edit.Edit) error {
	if f.tie || f.untie || f.mapFile+f.names != "" || len(f.rename)+len(f.copies) > 0 {
		return cli.Usagef("--unpack excludes --map, --names, --tie, --untie, --rename and --copy: edit the result")
	}
	e.Arrange = plain.Unpack(plain.Options{Cast: e.Cast, CastKeep: e.CastKeep, Saturate: e.Saturate})
	e.Cast, e.CastKeep = nil, nil
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
