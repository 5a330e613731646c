// Which shard each tensor is written to.

package shards

import (
	"fmt"
	"math"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// distinct returns an error unless all tensors have distinct names. An Encoder
// checks that too, but it sees one shard at a time.
func distinct(tensors []*safetensors.Tensor) error {
	seen := make(map[string]bool, len(tensors))
	for i, t := range tensors {
		switch {
		case t == nil:
			return fmt.Errorf("shards: the tensor to write at index %d is nil", i)
		case seen[t.Name]:
			return &safetensors.Violation{Rule: safetensors.RuleDuplicateName, Severity: safetensors.Invalid,
				Tensor: t.Name, Detail: fmt.Sprintf("two of the tensors to write are called %s", wording.Quote(t.Name))}
		}
		seen[t.Name] = true
	}
	return nil
}

// dealByCount deals tensors out to shards of counts[i] tensors each.
func dealByCount(tensors []*safetensors.Tensor, counts []int) ([][]*safetensors.Tensor, error) {
	var shards [][]*safetensors.Tensor
	rest := tensors
	for _, n := range counts {
		if n < 0 || n > len(rest) {
			break
		}
		shards, rest = append(shards, rest[:n:n]), rest[n:]
	}
	if len(rest) > 0 || len(shards) < len(counts) || len(shards) == 0 {
		return nil, fmt.Errorf("shards: Writer.Split is %v, which does not add up to the %s to write", counts,
			wording.Count(len(tensors), "tensor"))
	}
	return shards, nil
}

// dealBySize deals tensors out to one or more shards, as the function
// split_state_dict_into_shards_factory of the library huggingface_hub does. A shard ends where
// the next tensor would take it past limit bytes. A tensor that is larger gets its own shard,
// which comes before the shard that is being filled, and does not end that one. A limit of 0
// means no limit.
func dealBySize(tensors []*safetensors.Tensor, limit int64) [][]*safetensors.Tensor {
	if limit == 0 {
		limit = math.MaxInt64
	}
	var shards [][]*safetensors.Tensor
	var filling []*safetensors.Tensor
	var size int64 // of the tensors in filling, and at most limit
	for _, t := range tensors {
		if t.Size() > limit {
			shards = append(shards, []*safetensors.Tensor{t})
			continue
		}
		if t.Size() > limit-size {
			shards = append(shards, filling)
			filling, size = nil, 0
		}
		filling = append(filling, t)
		size += t.Size()
	}
	if len(filling) > 0 || len(shards) == 0 {
		shards = append(shards, filling)
	}
	return shards
}
