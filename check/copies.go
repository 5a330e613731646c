// Copies: two sets in one folder that are to be the same model, compared by values.

package check

import (
	"context"
	"slices"

	"github.com/weightools/safetensors/check/internal/copies"
)

// judgeCopies compares the sets that are copies by their names with their originals. Copies in another dtype have
// other values on purpose.
//
// Loaders differ in which one they take: transformers looks for model.safetensors first (modeling_utils.py,
// _get_resolved_checkpoint_files); vLLM keeps the files that the index names (weight_utils.py,
// filter_duplicate_safetensors_files).
func (r *repository) judgeCopies(ctx context.Context) {
	for _, m := range r.weights {
		original := slices.IndexFunc(r.weights, func(o *weights) bool { return o.set.Name == m.set.CopyOf })
		if original < 0 {
			continue
		}
		of := r.weights[original]
		unlike, first, err := copies.Differing(ctx, m.set, of.set)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.failed(m.set.Name, err)
		case unlike > 0:
			m.found(m.set.Name).Add(RuleCopiesDiffer, first.Name, first.Entry,
				"%s has other values than %s in %s, the first %s: transformers loads model.safetensors, and vLLM and SGLang "+
					"the shards of an index", quote(m.set.Name), quote(of.set.Name), count(unlike, "tensor"), quote(first.Name))
		}
	}
}
