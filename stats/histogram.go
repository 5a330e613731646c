// Histograms: by magnitude, and between the smallest and the largest number.

package stats

import (
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/num"
)

// Exponents counts numbers by binary exponent: Counts[i] those, of either sign,
// from 2^(First+i) up to, and not including, 2^(First+i+1) in magnitude. Zeros
// are in none. There is a count for every exponent from that of the number
// nearest to zero to that of the one farthest from it.
type Exponents struct {
	First  int
	Counts []int64
}

// The exponents of float64s are from lowestExponent to 1023.
const lowestExponent = -1074

// binades counts numbers by exponent, from lowestExponent on. At 16 KiB there is
// room for every exponent, so that counting does not depend on what comes first.
type binades [1024 - lowestExponent]int64

// add counts x n times.
func (b *binades) add(x float64, n int64) {
	if x != 0 {
		b[math.Ilogb(x)-lowestExponent] += n
	}
}

func (b *binades) merge(other *binades) {
	for i, n := range other {
		b[i] += n
	}
}

// trim returns the counts between the first and the last that is not 0.
func (b *binades) trim() Exponents {
	counted := func(n int64) bool { return n != 0 }
	first := slices.IndexFunc(b[:], counted)
	if first < 0 {
		return Exponents{}
	}
	last := len(b)
	for b[last-1] == 0 {
		last--
	}
	return Exponents{first + lowestExponent, slices.Clone(b[first:last])}
}

// A Histogram counts numbers between edges: Counts[i] those from Edges[i] up to,
// and not including, Edges[i+1], which the last one does include. Edges are
// equally far apart, from the smallest number to the largest. If these are the
// same there is one count.
//
// 64-bit integers are placed by the float64 nearest to each.
type Histogram struct {
	Edges  []float64
	Counts []int64
}

// bins is a Histogram being filled.
type bins struct {
	Histogram
	codec  *num.Codec
	scale  float64 // bins for each 2 units
	placed int64   // how many numbers there are in Counts
	buf    [512]float64
}

// newBins returns n bins for the finite numbers of s, of which there are some.
func newBins(codec *num.Codec, s *Summary, n int) *bins {
	lo, hi := s.Min.Float64(), s.Max.Float64()
	if lo == hi {
		n = 1
	}
	edges := make([]float64, n+1)
	step := hi/float64(n) - lo/float64(n) // hi - lo may overflow
	for i := range n {
		// The conversion keeps the product from being fused with the sum,
		// which would give other bits on some machines.
		edges[i] = min(lo+float64(step*float64(i)), hi)
	}
	edges[n] = hi
	b := &bins{Histogram: Histogram{edges, make([]int64, n)}, codec: codec}
	if width := hi/2 - lo/2; width > 0 {
		b.scale = float64(n) / width
	}
	return b
}

// place counts x n times, unless it is out of range or NaN: in a second pass over
// a tensor all other numbers are what they were in the first.
func (b *bins) place(x float64, n int64) {
	last := len(b.Counts) - 1
	lo := b.Edges[0]
	if !(x >= lo && x <= b.Edges[last+1]) {
		return
	}
	// The quotient may be off by rounding, and the edges decide.
	i := min(int((x/2-lo/2)*b.scale), last)
	for i > 0 && x < b.Edges[i] {
		i--
	}
	for i < last && x >= b.Edges[i+1] {
		i++
	}
	b.Counts[i] += n
	b.placed += n
}

func (b *bins) add(block []byte) {
	for numbers := range decoded(b.codec, b.buf[:], block) {
		for _, x := range numbers {
			b.place(x, 1)
		}
	}
}

func (b *bins) merge(other *bins) {
	for i, n := range other.Counts {
		b.Counts[i] += n
	}
	b.placed += other.placed
}
