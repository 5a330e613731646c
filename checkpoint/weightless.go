// Folders without weights.

package checkpoint

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/weightless"
)

// A NoWeightsError says that a folder has no weights that this package can open.
type NoWeightsError = weightless.Error

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
