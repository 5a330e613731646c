// Package copies compares two sets tensor by tensor.
package copies

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/compare"
)

// Differing returns how many tensors of two sets have one name, dtype and shape, and other bytes, and the first of
// them. A name that only one set has is no difference: copies may be spelled in two ways.
func Differing(ctx context.Context, a, b *checkpoint.Set) (n int, first *safetensors.Tensor, err error) {
	one, other := a.Open(), b.Open()
	defer one.Close()
	defer other.Close()
	for t, err := range one.Tensors(ctx) {
		if err != nil {
			return 0, nil, err
		}
		u, err := other.Tensor(ctx, t.Name)
		if err != nil || u.Dtype != t.Dtype || !slices.Equal(u.Shape, t.Shape) {
			continue // reported where it belongs
		}
		at, err := compare.First(ctx, t, u, t.Size(), nil)
		if err != nil {
			return 0, nil, err
		}
		if at >= 0 {
			if n++; first == nil {
				first = t.Tensor
			}
		}
	}
	return n, first, nil
}
