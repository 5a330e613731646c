// The expected sizes of headers, as hints for stores.

package index

import "strings"

// HeadSizes returns the expected size in bytes of the length and the header of each of n shards. Home returns the
// number of a shard by its name, or -1. The names of tensors, which are most of a header, are in the index. A value
// that is too small costs a second request, and one that is too large costs bytes.
func HeadSizes(x *Index, n int, home func(shard string) int) []int64 {
	const (
		// "":{"dtype":"BF16","shape":[8192,29568],"data_offsets":[3221225472,3691249664]},
		entry = 80 // bytes in addition to the name
		// The second dimension and its comma, which biases and the weights of norms lack.
		second = 6 // bytes
		// The length, {"__metadata__":{"format":"pt"},}, and padding
		rest = 8 + 40 // bytes
	)
	sizes := make([]int64, n)
	for i := range sizes {
		sizes[i] = rest
	}
	name, at := "", -1 // of the entry before
	for i := range x.Tensors {
		e := &x.Tensors[i]
		if e.Shard != name || at < 0 {
			name, at = e.Shard, home(e.Shard)
		}
		if at >= 0 {
			sizes[at] += int64(len(e.Tensor)) + entry
			if strings.HasSuffix(e.Tensor, ".bias") || strings.HasSuffix(e.Tensor, "norm.weight") {
				sizes[at] -= second
			}
		}
	}
	return sizes
}
