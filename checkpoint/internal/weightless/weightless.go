// Package weightless has the error of folders without weights.
package weightless

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
)

// An Error says that a folder has no weights that this package can open.
type Error struct {
	Path       string   // of the folder: in its store, "" for the root, or as Open was called with it
	Listed     bool     // whether the store could list files
	Extensions []string // of the files that were looked for, such as ".safetensors"
	Foreign    []string // the paths of weights in other formats, by their names
}

// Format returns the format that a file of weights has by its name, or "" if it is a
// safetensors file or something else.
func Format(base string) string {
	if format := filetype.WeightsFormat(base); format != "safetensors" {
		return format
	}
	return ""
}

// Error describes what was looked for, and what was found instead.
func (e *Error) Error() string {
	where := "the folder"
	if e.Path != "" {
		where += " " + wording.Quote(e.Path)
	}
	if !e.Listed {
		return fmt.Sprintf("checkpoint: %s has no model.safetensors or model.safetensors.index.json, nor those of "+
			"diffusers, adapters or Mistral, and it cannot be listed: name a file in it", where)
	}
	said := fmt.Sprintf("checkpoint: %s has no weights (%s), nor has a folder below it", where,
		"*"+strings.Join(e.Extensions, ", *"))
	if len(e.Foreign) == 0 {
		return said
	}
	first := e.Foreign[0]
	said += fmt.Sprintf("; it has %s, which is in another format by its name (%s)", wording.Quote(first),
		Format(path.Base(first)))
	if n := len(e.Foreign) - 1; n > 0 {
		said += fmt.Sprintf(", and %d more of other formats", n)
	}
	return said
}

// Unwrap returns [fs.ErrNotExist].
func (e *Error) Unwrap() error { return fs.ErrNotExist }
