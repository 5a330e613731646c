// Whether boxes cover a tensor.

package chunked

import (
	"cmp"
	"fmt"
	"slices"
)

// A Fault says that pieces do not cover a tensor exactly once.
type Fault struct {
	At     []int64 // the first element that is in no piece, or in several
	Pieces int64   // how many pieces have it
}

// Error returns the reason in one line.
func (f *Fault) Error() string {
	if f.Pieces == 0 {
		return fmt.Sprintf("no part has the element at %v", f.At)
	}
	return fmt.Sprintf("%d parts have the element at %v", f.Pieces, f.At)
}

// maxDivided is in how many dimensions pieces may divide a tensor: a piece has 2 to that power corners. Meshes have at
// most five dimensions.
const maxDivided = 8

// A corner is a corner of a box. The number of boxes that have an element is the sum of the weights of all corners that
// are at most the element in every dimension.
type corner struct{ place, weight int64 }

// covered returns an error if pieces, which have elements and lie in the shape, do not cover it exactly once. It
// compares the corners of all pieces with those of the shape: they cancel out each other if and only if it is covered.
func covered(shape []int64, pieces []piece) error {
	if slices.Contains(shape, 0) {
		return nil
	}
	var divided []int
	places := int64(1)
	for d, n := range shape {
		if slices.ContainsFunc(pieces, func(p piece) bool { return p.shape[d] != n }) {
			divided = append(divided, d)
			if places > maxSize/(n+1) {
				return fmt.Errorf("the shape %v is too large", shape)
			}
			places *= n + 1
		}
	}
	if len(divided) > maxDivided {
		return fmt.Errorf("parts are divided along %d dimensions, more than the limit of %d", len(divided), maxDivided)
	}
	all := make([]corner, 0, (len(pieces)+1)<<len(divided))
	add := func(at, extent []int64, sign int64) {
		for set := range 1 << len(divided) {
			c := corner{0, sign}
			for i, d := range divided {
				c.place *= shape[d] + 1
				if at != nil {
					c.place += at[d]
				}
				if set>>i&1 == 1 {
					c.place, c.weight = c.place+extent[d], -c.weight
				}
			}
			all = append(all, c)
		}
	}
	add(nil, shape, -1)
	for i := range pieces {
		add(pieces[i].at, pieces[i].shape, 1)
	}
	slices.SortFunc(all, func(a, b corner) int { return cmp.Compare(a.place, b.place) })
	for i := 0; i < len(all); {
		sum, place := int64(0), all[i].place
		for ; i < len(all) && all[i].place == place; i++ {
			sum += all[i].weight
		}
		if sum != 0 { // the first such corner has all others behind it
			return &Fault{elementAt(shape, divided, place), sum + 1}
		}
	}
	return nil
}

// elementAt returns the element of a corner.
func elementAt(shape []int64, divided []int, place int64) []int64 {
	at := make([]int64, len(shape))
	for i := len(divided) - 1; i >= 0; i-- {
		n := shape[divided[i]] + 1
		at[divided[i]], place = place%n, place/n
	}
	return at
}
