// The order of names, for lookups and for finding duplicates.

package header

import "slices"

// sortByName returns the indices of tensors in the order of their names, and
// whether any names are equal; those keep the header's order. Runs are the
// indices of names that are not greater than the previous one. If there are
// none, the tensors are in order and sortByName returns nil. It uses room, which has two indices for each tensor.
//
// Writers list names in a few ascending runs, usually one for each dtype. This
// is a merge sort of the runs: usually it takes hardly a comparison for each
// name, and at worst n log n. A hash table would cost more, and could be
// attacked.
func sortByName(tensors []Info, runs, room []uint32) (order []uint32, equal bool) {
	if len(runs) == 0 {
		return nil, false
	}
	runs = slices.Insert(runs, 0, 0) // the first run begins at 0
	order, spare := room[:len(tensors):len(tensors)], room[len(tensors):2*len(tensors)]
	for i := range order {
		order[i] = uint32(i)
	}
	for len(runs) > 1 {
		merged := runs[:0]
		for i := 0; i < len(runs); i += 2 {
			begin, mid, end := runs[i], uint32(len(order)), uint32(len(order))
			if i+1 < len(runs) {
				mid = runs[i+1]
			}
			if i+2 < len(runs) {
				end = runs[i+2]
			}
			if merge(tensors, spare[begin:end], order[begin:mid], order[mid:end]) {
				equal = true
			}
			merged = append(merged, begin)
		}
		order, spare, runs = spare, order, merged
	}
	return order, equal
}

// descents returns the indices of tensors whose names are not greater than the
// previous one.
func descents(tensors []Info) []uint32 {
	var runs []uint32
	for i := 1; i < len(tensors); i++ {
		if tensors[i].Name <= tensors[i-1].Name {
			runs = append(runs, uint32(i))
		}
	}
	return runs
}

// merge merges the sorted runs a and b into dst, and reports whether a name is
// in both. Of equal names, the names of a come first.
//
// One run is often much longer than the other, or lies mostly before it. So
// merge gallops: it finds the names that come first by doubling steps, and
// copies them at once.
func merge(tensors []Info, dst, a, b []uint32) (equal bool) {
	for len(a) > 0 && len(b) > 0 {
		name := tensors[b[0]].Name
		n := gallop(len(a), func(i int) bool { return tensors[a[i]].Name <= name })
		if n > 0 && tensors[a[n-1]].Name == name {
			equal = true
		}
		copy(dst, a[:n])
		if dst, a = dst[n:], a[n:]; len(a) == 0 {
			break
		}
		name = tensors[a[0]].Name
		n = 1 + gallop(len(b)-1, func(i int) bool { return tensors[b[1+i]].Name < name })
		copy(dst, b[:n])
		dst, b = dst[n:], b[n:]
	}
	copy(dst[copy(dst, a):], b)
	return equal
}

// gallop returns how many of n items satisfy before; these come first. It takes
// few calls if the result is near 0 or near n.
func gallop(n int, before func(int) bool) int {
	low, step := 0, 1 // all items below low satisfy before
	for low+step <= n && before(low+step-1) {
		low, step = low+step, 2*step
	}
	high := min(low+step-1, n) // no item from high on does
	for low < high {
		if mid := (low + high) / 2; before(mid) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// A duplicate is an entry and a later one of the same name, which replaces it.
type duplicate struct{ lost, kept uint32 }

// duplicates returns the entries that are replaced by later ones. The order is
// from sortByName.
func duplicates(tensors []Info, order []uint32) []duplicate {
	var dups []duplicate
	for i := 1; i < len(order); i++ {
		if prev, next := order[i-1], order[i]; tensors[prev].Name == tensors[next].Name {
			dups = append(dups, duplicate{prev, next})
		}
	}
	return dups
}
