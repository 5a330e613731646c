// Judging: what can be said once all members are known.

package zipwalk

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"compress/flate"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// quoted returns a name as part of a message.
func quoted(name string) string { return wording.Quote(name) }

// judge compares members with each other, and accounts for all bytes.
func (w *walker) judge() {
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

// duplicates reports names that some reader takes for one.
func (w *walker) duplicates() {
	first := make(map[string]int, len(w.Members))
	for i := range w.Members {
		key := membername.Key(w.Members[i].Name)
		j, twice := first[key]
		if !twice {
			first[key] = i
			continue
		}
		w.fault(Duplicate, i, w.Members[i].Header, "%s stands twice: readers take the first, the last or either", quoted(w.Members[j].Name))
	}
}

// overlaps reports contents that share bytes.
func (w *walker) overlaps() {
	order := w.order(0)
	order = slices.DeleteFunc(order, func(i int) bool { return w.Members[i].Header < 0 })
	widest := -1 // of those before, the one that ends last
	for _, i := range order {
		m := &w.Members[i]
		if widest >= 0 && m.Header < w.Members[widest].end {
			w.fault(Overlap, i, m.Header, "%s and %s share bytes", quoted(w.Members[widest].Name), quoted(m.Name))
		}
		if widest < 0 || m.end > w.Members[widest].end {
			widest = i
		}
	}
}

// gaps accounts for what is left.
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
			w.fault(PrefixData, -1, 0, "%d bytes stand before the archive: PyTorch does not find it, and others do", gap.Len())
		case last >= 0 && gap.Begin > last:
			w.fault(TrailingData, -1, gap.Begin, "%d bytes stand after the end of the archive", gap.Len())
		default:
			w.fault(UnlistedData, -1, gap.Begin, "%d bytes at %d belong to no entry of the archive", gap.Len(), gap.Begin)
		}
	}
	slices.SortStableFunc(w.Comments, func(a, b extent.Span) int { return cmp.Compare(a.Begin, b.Begin) })
}

// Raw returns the bytes of a view as they are in the file.
func (a *Archive) Raw(v View) *io.SectionReader {
	return io.NewSectionReader(a.r, v.Span.Begin, v.Span.Len())
}

// Open returns the content of a view that is stored or deflated, from front to back.
// It does not end where the archive claims but where the content does, so its reader
// is to be given a limit. Checksums are not compared.
func (a *Archive) Open(v View) (io.Reader, error) {
	switch v.Method {
	case Stored:
		return a.Raw(v), nil
	case Deflate:
		return flate.NewReader(a.Raw(v)), nil
	}
	return nil, fmt.Errorf("zip: method %d, and 0 (stored) and 8 (deflate) are read", v.Method)
}
