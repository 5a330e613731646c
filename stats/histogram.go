// Histograms by magnitude, and by value.

package stats

import (
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/num"
)

// Exponents counts numbers by binary exponent: Counts[i] is the number of values of any sign with magnitude
// from 2^(First+i) to 2^(First+i+1), exclusive. Zeros are not counted. Counts begins with the exponent of the
// smallest magnitude and ends with the exponent of the largest.
type Exponents struct {
	First  int
	Counts []int64
}

// The exponents of float64s are from lowestExponent to 1023.
const lowestExponent = -1074

// binades counts numbers by exponent, from lowestExponent on. It has 16 KiB, with a count for every exponent.
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

// trim removes zeros at both ends of the counts.
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

// A Histogram counts numbers between edges: Counts[i] is the number of values from Edges[i] to Edges[i+1],
// exclusive except for the last one. Edges are equidistant, from the smallest to the largest number. If
// these are equal, there is a single count.
//
// 64-bit integers are rounded to the nearest float64.
type Histogram struct {
	Edges  []float64
	Counts []int64
}

// bins is a Histogram being filled.
type bins struct {
	Histogram
	codec *num.Codec
	unit  float64        // numbers are multiplied by this
	low   float64        // the lowest number, multiplied
	scale float64        // bins per multiplied unit
	cells *[1 << 16]cell // for large tensors of F32: the bins of numbers with the same upper 16 bits
	buf   [512]float64
}

// A cell is the bin of all numbers whose patterns have the same upper 16 bits, plus 1. It is unknown until one of them
// occurs, and straddling if some of them belong to another bin or to none.
type cell uint16

const (
	unknown    cell = 0
	straddling cell = math.MaxUint16
)

// newBins returns n bins for the finite numbers of s, which must exist.
func newBins(codec *num.Codec, s *Summary, n int) *bins {
	lo, hi := s.Min.Float64(), s.Max.Float64()
	if lo == hi {
		n = 1
	}
	// Half of the numbers do not overflow when they are subtracted. If they lie within a range so small that
	// the number of bins per unit would overflow, they are tiny themselves: see tiny.
	unit := 0.5
	if lo < hi && hi/2-lo/2 < tiny {
		unit = 1 / tiny
	}
	b := &bins{codec: codec, unit: unit, low: lo * unit}
	b.Edges, b.Counts = make([]float64, n+1), make([]int64, n)
	step := hi*unit/float64(n) - b.low/float64(n)
	for i := range n {
		// The conversion prevents fused multiply-add, which would give different bits on
		// some machines.
		b.Edges[i] = min((b.low+float64(step*float64(i)))/unit, hi)
	}
	b.Edges[0], b.Edges[n] = lo, hi
	if width := hi*unit - b.low; width > 0 {
		b.scale = float64(n) / width
	}
	return b
}

// tiny is a range of numbers. Different numbers within it are at most 2^53 times as large, because a float64 has
// 53 bits: dividing them by it is exact and does not overflow.
const tiny = 0x1p-600

// place counts x n times, unless it is out of range or NaN. In the second pass, other numbers must be the
// same as in the first.
func (b *bins) place(x float64, n int64) {
	if i := b.at(x); i >= 0 {
		b.Counts[i] += n
	}
}

// at returns the bin of x, or -1 if it is out of range or NaN.
func (b *bins) at(x float64) int {
	last := len(b.Counts) - 1
	lo := b.Edges[0]
	if !(x >= lo && x <= b.Edges[last+1]) {
		return -1
	}
	// The quotient may be rounded, so compare with the edges.
	i := min(int((x*b.unit-b.low)*b.scale), last)
	for i > 0 && x < b.Edges[i] {
		i--
	}
	for i < last && x >= b.Edges[i+1] {
		i++
	}
	return i
}

func (b *bins) add(block []byte) {
	if b.cells == nil && len(block) >= cellsLeast && b.codec.Kind() == num.Float && b.codec.Bits() == 32 &&
		len(b.Counts) < int(straddling)-1 {
		b.cells = new([1 << 16]cell)
	}
	if b.cells != nil {
		b.addSingles(block)
		return
	}
	for numbers := range decoded(b.codec, b.buf[:], block) {
		for _, x := range numbers {
			b.place(x, 1)
		}
	}
}

// cellsLeast is the least size of a block in bytes for which cells are worth finding their bins.
const cellsLeast = 512 << 10

// addSingles is add for F32. Few numbers of weights are so close to an edge that they must be compared with it.
func (b *bins) addSingles(block []byte) {
	cells, counts := b.cells, b.Counts
	for ; len(block) >= 4; block = block[4:] {
		pattern := le.Uint32(block)
		c := cells[uint16(pattern>>16)]
		if c == unknown {
			c = b.cellOf(pattern)
			cells[uint16(pattern>>16)] = c
		}
		if c == straddling {
			b.place(float64(math.Float32frombits(pattern)), 1)
			continue
		}
		counts[c-1]++
	}
}

// cellOf returns the cell of a pattern.
func (b *bins) cellOf(pattern uint32) cell {
	first := b.at(float64(math.Float32frombits(pattern &^ math.MaxUint16)))
	last := b.at(float64(math.Float32frombits(pattern | math.MaxUint16)))
	if first < 0 || first != last {
		return straddling
	}
	return cell(first + 1)
}

func (b *bins) merge(other *bins) {
	for i, n := range other.Counts {
		b.Counts[i] += n
	}
}

// placed returns the sum of the counts.
func (b *bins) placed() (n int64) {
	for _, c := range b.Counts {
		n += c
	}
	return n
}
