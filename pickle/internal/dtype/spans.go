// Fields as ranges of bytes.

package dtype

import (
	"cmp"
	"slices"
)

// A span is the bytes of a field.
type span struct{ begin, end int64 }

// spans are the fields of a dtype.
type spans []span

// overlap reports whether two fields share bytes. It changes the order.
func (s spans) overlap() bool {
	slices.SortFunc(s, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	end := int64(0)
	for _, f := range s {
		if f.begin < end && f.end > f.begin {
			return true
		}
		end = max(end, f.end)
	}
	return false
}
