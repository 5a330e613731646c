// Sharing: tensors that have bytes in common, such as tied weights.

package torch

import (
	"cmp"
	"slices"

	"github.com/weightools/safetensors"
)

// A Sharing is tensors of which each has bytes in common with another of them. In memory
// they are one; in a safetensors file each has its own.
type Sharing struct {
	// Tensors are two or more, ordered by their names.
	Tensors []*safetensors.Tensor

	// Whole is the first that has all bytes of their storage, each once and in order, so
	// that it could stand for all of them. It is nil if none does.
	Whole *safetensors.Tensor
}

// Shared returns the tensors that have bytes in common, in the order of the file. Those
// without elements have none.
func (cp *Checkpoint) Shared() []Sharing {
	byStorage := make(map[*storage][]int) // indices of Tensors
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
	slices.SortFunc(tensors, func(i, j int) int { return cmp.Compare(cp.Tensors[i].Name, cp.Tensors[j].Name) })
	var s Sharing
	for _, i := range tensors {
		s.Tensors = append(s.Tensors, cp.Tensors[i])
		if s.Whole == nil && cp.extents[i].whole {
			s.Whole = cp.Tensors[i]
		}
	}
	return s
}
