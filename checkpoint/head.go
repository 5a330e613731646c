// The heads of shards: how long they will be, told to stores before they are read.

package checkpoint

import (
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// heads returns for each shard how many bytes its length and header are expected to
// take: to the byte it is known only when they were read, but names, which are most
// of a header, stand in the index. What is too little costs a second request, and
// what is too much costs bytes. Without an index, all are 0.
func (s *Set) heads() []int64 {
	const (
		// "":{"dtype":"BF16","shape":[8192,29568],"data_offsets":[3221225472,3691249664]},
		entry = 80 // bytes beside the name
		// The second dimension and its comma: biases and the weights of norms have none.
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
