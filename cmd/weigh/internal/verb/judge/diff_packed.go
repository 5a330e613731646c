// Packed weights of two targets.

package judge

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model/unpack"
)

// A packedWeight is where a packed weight is: in which model of a target, and what its values are called.
type packedWeight struct{ model, values string }

// unpackSides replaces packed weights by their values, unless both sides pack them alike, and reports whether there are
// any. Without them, tensors stay as they are.
func unpackSides(ctx context.Context, sess *cli.Session, sides [2]*side) (unpacked bool) {
	var packed [2][]*unpack.Weights
	var at [2]map[packedWeight]*unpack.Weight
	for i, s := range sides {
		at[i] = make(map[packedWeight]*unpack.Weight)
		for _, one := range s.models {
			ws := target.Packed(ctx, one.cp, one.located)
			packed[i] = append(packed[i], ws)
			for _, w := range ws.All {
				at[i][packedWeight{one.name, w.Parts[0].Name}] = w
			}
		}
	}
	all := 0 // weights that are not packed alike
	var left []error
	for i, s := range sides {
		for k := range s.models {
			one, ws := &s.models[k], packed[i][k]
			kept := 0
			list, errs := ws.Plain(one.tensors, func(w *unpack.Weight) bool {
				alike := areAlike(w, at[1-i][packedWeight{one.name, w.Parts[0].Name}])
				if alike {
					kept++
				}
				return alike
			})
			if kept+len(errs) == 0 { // it is compared as the plain model that it can become
				list = slices.DeleteFunc(slices.Clone(list), ws.Idle)
			}
			one.tensors = list
			all += len(ws.All) - kept
			left = append(left, errs...)
		}
	}
	if all > len(left) {
		sess.Notice("packed weights are compared by their values; --packed compares the stored tensors")
	}
	if len(left) > 0 {
		sess.Notice("%d of %d packed weights are compared as they are stored; %v", len(left), all, left[0])
	}
	return all > len(left)
}

// areAlike reports whether two weights are packed alike: whether their parts have the same names, dtypes and shapes.
func areAlike(a, b *unpack.Weight) bool {
	if b == nil || len(a.Parts) != len(b.Parts) {
		return false
	}
	return !slices.ContainsFunc(a.Parts, func(t *safetensors.Tensor) bool {
		return !slices.ContainsFunc(b.Parts, func(o *safetensors.Tensor) bool {
			return o.Name == t.Name && o.Dtype == t.Dtype && slices.Equal(o.Shape, t.Shape)
		})
	})
}
