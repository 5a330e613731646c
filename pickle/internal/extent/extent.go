// Byte ranges, and sets of them.

// Package extent records which bytes of a file belong to a known structure, and finds the gaps between them.
package extent

import (
	"cmp"
	"slices"
)

// A Span is a half-open range of bytes.
type Span struct{ Begin, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Begin }

// Within returns the part of s inside t, which may be empty.
func (s Span) Within(t Span) Span {
	begin := min(max(s.Begin, t.Begin), t.End)
	return Span{begin, max(min(s.End, t.End), begin)}
}

// A Set is a set of bytes. The zero Set is empty. A Set must not be used concurrently.
type Set struct {
	spans  []Span // not empty
	merged bool   // sorted and disjoint
}

// Add adds a span, which may be empty or overlap others.
func (s *Set) Add(span Span) {
	if span.Len() > 0 {
		s.spans, s.merged = append(s.spans, span), false
	}
}

// merge sorts the spans and joins those that overlap or touch.
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

// Holes returns the bytes of within that are not in the set, in ascending order.
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

// Has reports whether the byte at off is in the set.
func (s *Set) Has(off int64) bool {
	s.merge()
	i, found := slices.BinarySearchFunc(s.spans, off, func(span Span, off int64) int {
		return cmp.Compare(span.Begin, off)
	})
	return found || i > 0 && off < s.spans[i-1].End
}
