// Checks across all members.

package zipwalk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// crossCheck compares the members with each other, and finds the bytes outside all of them.
func (w *walker) crossCheck() {
	w.duplicates()
	w.overlaps()
	for i := range w.Members {
		m := &w.Members[i]
		for _, name := range []string{m.Name, cmp.Or(m.LocalName, m.Name)} {
			if what := membername.Hazard(name); what != "" {
				w.fault(UnsafeName, i, m.Header, "%s %s", quoted(name), what)
				break
			}
		}
	}
	w.gaps()
}

// duplicates reports names that some reader considers equal. Only PyTorch ignores case, and its archives have pickles.
func (w *walker) duplicates() {
	torch := slices.ContainsFunc(w.Members, func(m Member) bool {
		return strings.HasSuffix(strings.ToLower(m.Name), ".pkl")
	})
	first := make(map[string]int, len(w.Members))
	for i := range w.Members {
		key := membername.Key(w.Members[i].Name)
		j, twice := first[key]
		if !twice {
			first[key] = i
			continue
		}
		if a, b := w.Members[i].Name, w.Members[j].Name; !torch && a != b && strings.EqualFold(a, b) {
			continue // NumPy has both
		}
		w.fault(Duplicate, i, w.Members[i].Header, "%s is listed twice; readers use the first, the last or either",
			quoted(w.Members[j].Name))
	}
}

// overlaps reports contents that share bytes.
func (w *walker) overlaps() {
	order := w.order(0)
	order = slices.DeleteFunc(order, func(i int) bool { return w.Members[i].Header < 0 })
	widest := -1 // the previous member that ends last
	for _, i := range order {
		m := &w.Members[i]
		if widest >= 0 && m.Header < w.Members[widest].end {
			w.fault(Overlap, i, m.Header, "%s and %s overlap", quoted(w.Members[widest].Name), quoted(m.Name))
		}
		if widest < 0 || m.end > w.Members[widest].end {
			widest = i
		}
	}
}

// gaps reports the remaining bytes.
func (w *walker) gaps() {
	w.Gaps = w.covered.Holes(extent.Span{End: w.size})
	last := int64(-1)
	for _, at := range w.ends {
		last = max(last, at)
	}
	for _, gap := range w.Gaps {
		switch {
		case gap.Begin == 0 && w.moved:
		case gap.Begin == 0:
			w.fault(PrefixData, -1, 0, "%d bytes precede the archive; PyTorch does not find it, other readers do", gap.Len())
		case last >= 0 && gap.Begin > last:
			w.fault(TrailingData, -1, gap.Begin, "%d bytes follow the end of the archive", gap.Len())
		default:
			w.fault(UnlistedData, -1, gap.Begin, "%d bytes at %d do not belong to any entry of the archive",
				gap.Len(), gap.Begin)
		}
	}
	slices.SortStableFunc(w.Comments, func(a, b extent.Span) int { return cmp.Compare(a.Begin, b.Begin) })
}
