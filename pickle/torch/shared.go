// Shared data, such as tied weights.

package torch

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/weightools/safetensors"
)

// A Sharing is a group of tensors that each share data with another one. A safetensors file stores their data
// separately.
type Sharing struct {
	// Tensors are two or more, in file order.
	Tensors []*safetensors.Tensor

	// SameAs has for each tensor the first one that is the same view: the same data, dtype, shape and order. The
	// first one is its own entry.
	SameAs []*safetensors.Tensor
}

// Shared returns the tensors that share data, in file order.
func (cp *Checkpoint) Shared() []Sharing {
	byStorage := make(map[*storage][]int) // indexes in Tensors
	var order []*storage
	for i, x := range cp.extents {
		if x.begin == x.end {
			continue
		}
		if byStorage[x.storage] == nil {
			order = append(order, x.storage)
		}
		byStorage[x.storage] = append(byStorage[x.storage], i)
	}
	var found []Sharing
	for _, st := range order {
		found = append(found, cp.overlapping(byStorage[st])...)
	}
	return found
}

// overlapping returns the sharings among tensors of one storage.
func (cp *Checkpoint) overlapping(tensors []int) []Sharing {
	slices.SortStableFunc(tensors, func(i, j int) int {
		return cmp.Compare(cp.extents[i].begin, cp.extents[j].begin)
	})
	var found []Sharing
	for len(tensors) > 0 {
		end := cp.extents[tensors[0]].end
		n := 1
		for ; n < len(tensors) && cp.extents[tensors[n]].begin < end; n++ {
			end = max(end, cp.extents[tensors[n]].end)
		}
		if n > 1 {
			found = append(found, cp.sharing(tensors[:n]))
		}
		tensors = tensors[n:]
	}
	return found
}

// sharing returns the sharing of the given tensors.
func (cp *Checkpoint) sharing(tensors []int) Sharing {
	slices.Sort(tensors)
	var s Sharing
	first := make(map[string]*safetensors.Tensor)
	for _, i := range tensors {
		key := cp.viewKey(i)
		if first[key] == nil {
			first[key] = cp.Tensors[i]
		}
		s.Tensors = append(s.Tensors, cp.Tensors[i])
		s.SameAs = append(s.SameAs, first[key])
	}
	return s
}

// viewKey returns a key that is equal for identical views of one storage. Strides of dimensions with one index do not
// matter.
func (cp *Checkpoint) viewKey(i int) string {
	t, x := cp.Tensors[i], cp.extents[i]
	key := strconv.AppendInt([]byte(t.Dtype), x.begin, 10)
	for d, n := range t.Shape {
		key = strconv.AppendInt(append(key, ' '), n, 10)
		if n > 1 {
			key = strconv.AppendInt(append(key, '/'), x.stride[d], 10)
		}
	}
	return string(key)
}
