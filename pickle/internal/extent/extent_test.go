// Holes, compared with a set of one flag per byte.

package extent

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHoles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spans []Span
		want  []Span // within bytes 10 to 20
	}{
		{"nothing", nil, []Span{{10, 20}}},
		{"an empty span", []Span{{12, 12}}, []Span{{10, 20}}},
		{"all", []Span{{0, 30}}, nil},
		{"two that touch", []Span{{12, 14}, {10, 12}}, []Span{{14, 20}}},
		{"one in another", []Span{{11, 19}, {13, 14}}, []Span{{10, 11}, {19, 20}}},
		{"beside it", []Span{{0, 10}, {20, 30}}, []Span{{10, 20}}},
		{"across its ends", []Span{{5, 12}, {18, 25}}, []Span{{12, 18}}},
	} {
		var s Set
		for _, span := range tt.spans {
			s.Add(span)
		}
		if got := s.Holes(Span{10, 20}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The reference implementation has one flag per byte.
func TestAgainstBits(t *testing.T) {
	const size = 40
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var s Set
		var bits [size]bool
		for range random.IntN(6) {
			span := Span{Begin: int64(random.IntN(size))}
			span.End = span.Begin + int64(random.IntN(size-int(span.Begin)+1))
			s.Add(span)
			for i := span.Begin; i < span.End; i++ {
				bits[i] = true
			}
		}
		free := make([]bool, size)
		for _, h := range s.Holes(Span{0, size}) {
			for i := h.Begin; i < h.End; i++ {
				free[i] = true
			}
		}
		for i := range int64(size) {
			if free[i] == bits[i] || s.Has(i) != bits[i] {
				t.Fatalf("byte %d of %v: a hole is %v, in the set is %v", i, s.spans, free[i], s.Has(i))
			}
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct{ s, t, want Span }{
		{Span{2, 5}, Span{0, 10}, Span{2, 5}},
		{Span{2, 15}, Span{0, 10}, Span{2, 10}},
		{Span{12, 15}, Span{0, 10}, Span{10, 10}},
		{Span{0, 3}, Span{5, 10}, Span{5, 5}},
	} {
		if got := tt.s.Within(tt.t); got != tt.want {
			t.Errorf("%v within %v: %v, want %v", tt.s, tt.t, got, tt.want)
		}
	}
}
