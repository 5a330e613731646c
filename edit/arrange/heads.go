// Attention heads: the rows of queries, keys and values.

package arrange

import (
	"slices"

	"github.com/weightools/safetensors"
)

// Pairs returns the weight or bias of queries or keys for rotary embeddings that rotate neighboring rows of a head,
// rows 0 and 1, 2 and 3, as Meta's and Mistral's code does. The rows of t are for embeddings that rotate row i and row
// i + d/2 of the d rows of a head, as transformers does. Axis 0 has the rows of all heads.
func Pairs(t *safetensors.Tensor, heads int64) (*safetensors.Tensor, error) {
	return regroup(t, heads, 2)
}

// Halves is the inverse of [Pairs].
func Halves(t *safetensors.Tensor, heads int64) (*safetensors.Tensor, error) {
	return regroup(t, heads, 0)
}

// regroup moves the rows of each head: with 2, row j of half i becomes row i of pair j, and with 0 the reverse.
func regroup(t *safetensors.Tensor, heads, halves int64) (*safetensors.Tensor, error) {
	if len(t.Shape) == 0 || heads <= 0 || t.Shape[0]%heads != 0 || t.Shape[0]/heads%2 != 0 {
		return nil, fault(t, "%s does not have the rows of %d heads, of an even number each", t.ShapeString(), heads)
	}
	half := t.Shape[0] / heads / 2
	inner := []int64{half, 2}
	if halves == 2 {
		inner = []int64{2, half}
	}
	return moveRows(t, slices.Concat([]int64{heads}, inner))
}

// moveRows splits axis 0 into three axes and exchanges the last two of them.
func moveRows(t *safetensors.Tensor, split []int64) (*safetensors.Tensor, error) {
	apart, err := Reshape(t, slices.Concat(split, t.Shape[1:])...)
	if err != nil {
		return nil, err
	}
	if apart, err = Transpose(apart, 1, 2); err != nil {
		return nil, err
	}
	return Reshape(apart, t.Shape...)
}

// JoinGroups joins tensors along axis 0 group by group: the first group has the first rows of each tensor, and so on.
// Fused queries, keys and values are often stored like that, with a group for each head of keys and values.
func JoinGroups(name string, groups int64, tensors ...*safetensors.Tensor) (*safetensors.Tensor, error) {
	grouped := make([]*safetensors.Tensor, len(tensors))
	for i, t := range tensors {
		if len(t.Shape) == 0 || groups <= 0 || t.Shape[0]%groups != 0 {
			return nil, fault(t, "%s does not have the rows of %d groups", t.ShapeString(), groups)
		}
		one, err := Reshape(t, append([]int64{groups, t.Shape[0] / groups}, t.Shape[1:]...)...)
		if err != nil {
			return nil, err
		}
		grouped[i] = one
	}
	joined, err := Join(name, 1, grouped...)
	if err != nil {
		return nil, err
	}
	return Reshape(joined, append([]int64{joined.Shape[0] * joined.Shape[1]}, joined.Shape[2:]...)...)
}

// CutGroups is the inverse of [JoinGroups], where each group has rows of the parts in the given proportions.
func CutGroups(t *safetensors.Tensor, groups int64, weights ...int64) ([]*safetensors.Tensor, error) {
	if len(t.Shape) == 0 || groups <= 0 || t.Shape[0]%groups != 0 {
		return nil, fault(t, "%s does not have the rows of %d groups", t.ShapeString(), groups)
	}
	grouped, err := Reshape(t, append([]int64{groups, t.Shape[0] / groups}, t.Shape[1:]...)...)
	if err != nil {
		return nil, err
	}
	parts, err := Cut(grouped, 1, weights...)
	for i := 0; err == nil && i < len(parts); i++ {
		p := parts[i]
		parts[i], err = Reshape(p, append([]int64{p.Shape[0] * p.Shape[1]}, p.Shape[2:]...)...)
	}
	return parts, err
}

// SwapHalves returns a tensor whose two halves along axis 0 are exchanged.
func SwapHalves(t *safetensors.Tensor) (*safetensors.Tensor, error) {
	halves, err := Cut(t, 0, 1, 1)
	if err != nil {
		return nil, err
	}
	return Join(t.Name, 0, halves[1], halves[0])
}
