// Adapters among the inputs of a merge.

package shards

import (
	"maps"
	"slices"

	"github.com/weightools/safetensors/internal/parts"
)

// Adapters returns the input files that are adapters, such as LoRA, by the names of their tensors, if other inputs are
// none. Merge writes the matrices of an adapter beside the weights of the model; it does not add them to the weights.
func (p *Plan) Adapters() []string {
	tensors, matrices := make(map[string]int), make(map[string]int)
	for t, file := range p.from {
		tensors[file]++
		if _, ok := parts.MatrixOf(t.Name); ok {
			matrices[file]++
		}
	}
	var list []string
	for _, file := range slices.Sorted(maps.Keys(tensors)) {
		if 2*matrices[file] >= tensors[file] {
			list = append(list, file)
		}
	}
	if len(list) == len(tensors) {
		return nil
	}
	return list
}
