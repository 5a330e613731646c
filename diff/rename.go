// Detecting renamed tensors by their bytes.

package diff

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/digest"
)

// smallest is the minimum size in bytes of a tensor to be identified by its bytes. Scalars and short
// biases are often equal.
const smallest = 64

// renames joins tensors that only a has with tensors that only b has if dtype, shape and bytes are
// equal. It reads only tensors with a possible counterpart.
func (d *Differ) renames(ctx context.Context, pairs []couple) ([]couple, error) {
	lost, gained := candidates(pairs)
	if len(lost) == 0 {
		return pairs, nil
	}
	hasher := &digest.Hasher{Parallel: d.Parallel}
	sums, err := hasher.Tensors(ctx, append(slices.Clone(lost), gained...))
	if err != nil {
		return nil, err
	}
	// Tensors with the same bytes are joined in the order of names, which is right if only a
	// prefix has changed.
	type content struct{ kind, sum string }
	free := make(map[content][]*safetensors.Tensor)
	for i, t := range gained {
		key := content{kindOf(t), string(sums[len(lost)+i])}
		free[key] = append(free[key], t)
	}
	renamed := make(map[string]*safetensors.Tensor)
	taken := make(map[string]bool)
	for i, t := range lost {
		key := content{kindOf(t), string(sums[i])}
		if list := free[key]; len(list) > 0 {
			renamed[t.Name], free[key] = list[0], list[1:]
			taken[list[0].Name] = true
		}
	}
	out := pairs[:0]
	for _, c := range pairs {
		switch {
		case c.a == nil && taken[c.b.Name]:
			continue
		case c.b == nil && renamed[c.a.Name] != nil:
			c.b = renamed[c.a.Name]
		}
		out = append(out, c)
	}
	return out, nil
}

// candidates returns the tensors that only one side has and for which the other side has one with the
// same dtype and shape, in the order of names.
func candidates(pairs []couple) (lost, gained []*safetensors.Tensor) {
	kinds := make(map[string][2]bool)
	for _, c := range pairs {
		switch {
		case c.b == nil:
			k := kinds[kindOf(c.a)]
			kinds[kindOf(c.a)] = [2]bool{true, k[1]}
		case c.a == nil:
			k := kinds[kindOf(c.b)]
			kinds[kindOf(c.b)] = [2]bool{k[0], true}
		}
	}
	both := func(t *safetensors.Tensor) bool {
		return t.Size() >= smallest && kinds[kindOf(t)] == [2]bool{true, true}
	}
	for _, c := range pairs {
		switch {
		case c.b == nil && both(c.a):
			lost = append(lost, c.a)
		case c.a == nil && both(c.b):
			gained = append(gained, c.b)
		}
	}
	return lost, gained
}

// kindOf returns the dtype and shape of a tensor as text.
func kindOf(t *safetensors.Tensor) string { return string(t.Dtype) + t.ShapeString() }
