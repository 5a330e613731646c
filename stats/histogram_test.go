// Histograms of extreme ranges.

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

const smallest = math.SmallestNonzeroFloat64

// histogramOf returns the histogram of F64 numbers.
func histogramOf(t *testing.T, n int, xs ...float64) Histogram {
	t.Helper()
	s, err := (&Counter{Bins: n}).Of(tensorOf(safetensors.F64, encodeFloats(safetensors.F64, xs)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Histogram
}

// The numbers 0 to 8 times the smallest one, in four bins: a bin has two of them, and the last one its end, too.
func TestHistogramOfSmallestNumbers(t *testing.T) {
	var xs []float64
	for i := range 9 {
		xs = append(xs, float64(i)*smallest)
	}
	h := histogramOf(t, 4, xs...)
	if want := []float64{0, 2 * smallest, 4 * smallest, 6 * smallest, 8 * smallest}; !slices.Equal(h.Edges, want) {
		t.Errorf("the edges are %v, want %v", h.Edges, want)
	}
	if want := []int64{2, 2, 2, 3}; !slices.Equal(h.Counts, want) {
		t.Errorf("the counts are %v, want %v", h.Counts, want)
	}
}

// Every number has one place, whatever the range.
func TestHistogramOfExtremeRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pairs := [][2]float64{{0, smallest}, {-smallest, smallest}, {1e-310, 3e-310}, {-math.MaxFloat64, math.MaxFloat64},
		{smallest, 1}, {1, math.Nextafter(1, 2)}, {math.MaxFloat64, math.MaxFloat64}, {-0x1p-601, 0x1p-601}}
	for range 2000 {
		exponent := random.IntN(2046) - 1074
		lo := math.Ldexp(random.Float64()-0.5, exponent)
		pairs = append(pairs, [2]float64{lo, lo + math.Ldexp(random.Float64(), max(exponent-random.IntN(60), -1074))})
	}
	for _, pair := range pairs {
		lo, hi := pair[0], pair[1]
		xs := []float64{lo, hi, lo/2 + hi/2}
		h := histogramOf(t, 64, xs...)
		var sum int64
		for i, n := range h.Counts {
			sum += n
			if !(h.Edges[i] <= h.Edges[i+1]) {
				t.Fatalf("%v to %v: the edges %v and %v are not in order", lo, hi, h.Edges[i], h.Edges[i+1])
			}
		}
		if sum != 3 || h.Edges[0] != min(lo, xs[2]) || h.Edges[len(h.Edges)-1] != max(hi, xs[2]) {
			t.Fatalf("%v to %v: %d numbers between %v and %v", lo, hi, sum, h.Edges[0], h.Edges[len(h.Edges)-1])
		}
	}
}
