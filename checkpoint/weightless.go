// Folders without weights.

package checkpoint

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/filetype"
)

// A NoWeightsError says that a folder has no weights that this package can open.
type NoWeightsError struct {
	Path       string   // of the folder: in its store, "" for the root, or as Open was called with it
	Listed     bool     // whether the store could list files
	Extensions []string // of the files that were looked for, such as ".safetensors"
	Foreign    []string // the paths of weights in other formats, by their names
}

// foreignFormat returns the format that a file of weights has by its name, or "" if it is a
// safetensors file or something else.
func foreignFormat(base string) string {
	if format := filetype.WeightsFormat(base); format != "safetensors" {
		return format
	}
	return ""
}

func (f *folder) noWeights() error {
	// Files of a model come before files of an optimizer, which have the same extension.
	slices.SortStableFunc(f.foreign, func(a, b string) int {
		return boolOrder(!strings.Contains(a, "model"), !strings.Contains(b, "model"))
	})
	ends := []string{naming.WeightsSuffix}
	for i := range f.opts.Formats {
		ends = append(ends, f.opts.Formats[i].Extensions...)
	}
	return &NoWeightsError{Path: f.path, Listed: f.listed, Extensions: ends, Foreign: f.foreign}
}

// Error describes what was looked for, and what was found instead.
func (e *NoWeightsError) Error() string {
	where := "the folder"
	if e.Path != "" {
		where += " " + quote(e.Path)
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
	said += fmt.Sprintf("; it has %s, which is in another format by its name (%s)", quote(first),
		foreignFormat(path.Base(first)))
	if n := len(e.Foreign) - 1; n > 0 {
		said += fmt.Sprintf(", and %d more of other formats", n)
	}
	return said
}

// Unwrap returns [fs.ErrNotExist].
func (e *NoWeightsError) Unwrap() error { return fs.ErrNotExist }
