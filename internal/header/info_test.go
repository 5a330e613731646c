// The arithmetic of spans, at its edges.

package header

import (
	"math"
	"testing"
)

func TestSpan(t *testing.T) {
	s := Span{8, 24}
	if s.Len() != 16 {
		t.Errorf("%v has %d bytes", s, s.Len())
	}
	for _, test := range []struct {
		span Span
		by   int64
		want Span
	}{
		{Span{0, 16}, 0, Span{0, 16}},
		{Span{0, 16}, 64, Span{64, 80}},
		{Span{0, math.MaxInt64}, 8, Span{8, math.MaxInt64}},
		{Span{math.MaxInt64 - 8, math.MaxInt64 - 4}, 6, Span{math.MaxInt64 - 2, math.MaxInt64}},
		{Span{math.MaxInt64, math.MaxInt64}, math.MaxInt64, Span{math.MaxInt64, math.MaxInt64}},
	} {
		if got := test.span.Shift(test.by); got != test.want {
			t.Errorf("%v moved by %d is %v, want %v", test.span, test.by, got, test.want)
		}
	}
}

// TestProduct has products around 2^64, and zeros in every place.
func TestProduct(t *testing.T) {
	const top = math.MinInt64 // the dimension 2^63, as it stands in a Shape
	for _, test := range []struct {
		shape []int64
		want  uint64
		fits  bool
	}{
		{nil, 1, true},
		{[]int64{7}, 7, true},
		{[]int64{0, -1}, 0, true},
		{[]int64{-1, 0}, 0, true},
		{[]int64{-1}, 1<<64 - 1, true},
		{[]int64{1 << 32, 1<<32 - 1}, 1<<64 - 1<<32, true},
		{[]int64{1 << 32, 1 << 32}, 0, false},
		{[]int64{1 << 32, 1 << 32, 0}, 0, false}, // it overflows on the way to zero
		{[]int64{0, 1 << 32, 1 << 32}, 0, true},  // and here it does not
		{[]int64{top, 2}, 0, false},
		{[]int64{top, 1}, 1 << 63, true},
		{[]int64{3, 6148914691236517205}, 1<<64 - 1, true}, // 3 x (2^64-1)/3
	} {
		if got, fits := Product(test.shape); fits != test.fits || fits && got != test.want {
			t.Errorf("the product of %v is %d, %v; want %d, %v", test.shape, got, fits, test.want, test.fits)
		}
	}
}
