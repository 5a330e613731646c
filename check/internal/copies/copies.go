// Package copies compares two sets tensor by tensor.
package copies

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/compare"
)

// Differing counts the tensors that have the same name, dtype and shape in two sets but different bytes, and returns
// the first. It ignores names that only one set has: copies may use two naming schemes.
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
