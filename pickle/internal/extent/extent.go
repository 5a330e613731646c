// Extents: which bytes of a file are accounted for, and which are left over.

// Package extent keeps account of runs of bytes: those that some structure of a
// file explains, and the holes that are left between them.
package extent

import (
	"cmp"
	"slices"
)

// A Span is the bytes from Begin up to, and not including, End.
type Span struct{ Begin, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Begin }

// Within returns the part of s that lies in t, which may be empty.
func (s Span) Within(t Span) Span {
	begin := min(max(s.Begin, t.Begin), t.End)
	return Span{begin, max(min(s.End, t.End), begin)}
}

// Overlaps says whether s and t share a byte.
func (s Span) Overlaps(t Span) bool {
	return s.Begin < t.End && t.Begin < s.End && s.Len() > 0 && t.Len() > 0
}

// A Set is the bytes that are accounted for. The zero Set is empty. It is for one
// goroutine.
type Set struct {
	spans  []Span // of which none is empty
	merged bool   // whether they ascend, with holes between any two
}

// Add adds a span, which may overlap others. An empty one adds nothing.
func (s *Set) Add(span Span) {
	if span.Len() > 0 {
		s.spans, s.merged = append(s.spans, span), false
	}
}

// merge puts spans that overlap or touch together.
func (s *Set) merge() {
	if s.merged {
		return
	}
	slices.SortFunc(s.spans, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	kept := s.spans[:0]
	for _, span := range s.spans {
		if last := len(kept) - 1; last >= 0 && span.Begin <= kept[last].End {
			kept[last].End = max(kept[last].End, span.End)
			continue
		}
		kept = append(kept, span)
	}
	s.spans, s.merged = kept, true
}

// Holes returns the bytes of within that are not in the set, ascending.
func (s *Set) Holes(within Span) []Span {
	s.merge()
	var holes []Span
	at := within.Begin
	for _, span := range s.spans {
		if span.Begin >= within.End {
			break
		}
		if span.Begin > at {
			holes = append(holes, Span{at, span.Begin})
		}
		at = max(at, span.End)
	}
	if at < within.End {
		holes = append(holes, Span{at, within.End})
	}
	return holes
}

// Has says whether the byte at off is in the set.
func (s *Set) Has(off int64) bool {
	s.merge()
	i, found := slices.BinarySearchFunc(s.spans, off, func(span Span, off int64) int { return cmp.Compare(span.Begin, off) })
	return found || i > 0 && off < s.spans[i-1].End
}
