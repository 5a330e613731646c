// The order of names: for looking tensors up, and for finding two of one name.

package safetensors

import "slices"

// sortByName returns the indices of tensors in the order of their names, those
// of equal names in the header's order. Runs are the indices of those that do
// not come after the one before. If there are none it returns nil: the tensors
// stand in order, and no two names are equal.
//
// Writers list names in a few ascending runs, one for each dtype as a rule, so
// this is a merge sort that starts from the runs it finds: one comparison for
// each name as a rule, and n log n for a header made to be slow. A hash table
// would cost more for the first, and could be attacked.
func sortByName(tensors []TensorInfo, runs []uint32) []uint32 {
	if len(runs) == 0 {
		return nil
	}
	runs = slices.Insert(runs, 0, 0) // the first run begins at 0
	both := make([]uint32, 2*len(tensors))
	order, spare := both[:len(tensors):len(tensors)], both[len(tensors):]
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
			merge(tensors, spare[begin:end], order[begin:mid], order[mid:end])
			merged = append(merged, begin)
		}
		order, spare, runs = spare, order, merged
	}
	return order
}

// descents returns the indices of tensors whose names do not come after the one
// before.
func descents(tensors []TensorInfo) []uint32 {
	var runs []uint32
	for i := 1; i < len(tensors); i++ {
		if tensors[i].Name <= tensors[i-1].Name {
			runs = append(runs, uint32(i))
		}
	}
	return runs
}

// merge merges a and b, each in the order of names, into dst. Of equal names
// those of a come first.
func merge(tensors []TensorInfo, dst, a, b []uint32) {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		if tensors[b[0]].Name < tensors[a[0]].Name {
			dst[n], b = b[0], b[1:]
		} else {
			dst[n], a = a[0], a[1:]
		}
		n++
	}
	n += copy(dst[n:], a)
	copy(dst[n:], b)
}

// A duplicate is an entry, and a later one of the same name, which replaces it.
type duplicate struct{ lost, kept uint32 }

// duplicates returns what entries are replaced by which. The order is that of
// sortByName.
func duplicates(tensors []TensorInfo, order []uint32) []duplicate {
	var dups []duplicate
	for i := 1; i < len(order); i++ {
		if prev, next := order[i-1], order[i]; tensors[prev].Name == tensors[next].Name {
			dups = append(dups, duplicate{prev, next})
		}
	}
	return dups
}
