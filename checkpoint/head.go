// The expected sizes of headers, as hints for stores.

package checkpoint

import (
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// heads returns the expected size of each shard's length and header in bytes, 0 without an index.
// The names, which are most of a header, are in the index. A value that is too small costs a
// second request, and one that is too large costs bytes.
func (s *Set) heads() []int64 {
	const (
		// "":{"dtype":"BF16","shape":[8192,29568],"data_offsets":[3221225472,3691249664]},
		entry = 80 // bytes in addition to the name
		// The second dimension and its comma, which biases and the weights of norms lack.
		second = 6 // bytes
		// {"__metadata__":{"format":"pt"},}, and padding
		rest = shard.LengthSize + 40 // bytes
	)
	heads := make([]int64, len(s.Shards))
	if s.index == nil {
		return heads
	}
	for i := range heads {
		heads[i] = rest
	}
	name, home := "", -1 // of the entry before
	for i := range s.index.Tensors {
		e := &s.index.Tensors[i]
		if e.Shard != name || home < 0 {
			name, home = e.Shard, s.home(e.Shard)
		}
		if home >= 0 {
			heads[home] += int64(len(e.Tensor)) + entry
			if strings.HasSuffix(e.Tensor, ".bias") || strings.HasSuffix(e.Tensor, "norm.weight") {
				heads[home] -= second
			}
		}
	}
	return heads
}
