// Floats of 32 and 64 bits: the common parts of their fast loops.

package stats

import (
	"iter"
	"math"

	"github.com/weightools/safetensors/internal/num"
)

// floats accumulates the numbers of a float dtype of 32 or 64 bits.
//
// It processes blocks in chunks and assumes that a chunk is ordinary, which means that it contains only
// zeros and normal numbers below the largest. Other chunks are processed again, number by number.
type floats struct {
	codec    *num.Codec
	smallest float64 // the smallest normal number
	largest  float64 // the largest number
	sums     classes // all numbers

	lo, hi                 float64 // of the finite numbers; +Inf and -Inf if there are none
	nan, posInf, negInf    int64
	zero, subnormal, atMax int64
	subnormals             binades

	buf [512]float64 // decoded numbers
}

// chunkSize is the size of a chunk in bytes. It fits into the first-level cache, because a chunk is read at
// least twice.
const chunkSize = 16 << 10

func newFloats(codec *num.Codec, smallest, largest float64, sums classes) floats {
	return floats{codec: codec, smallest: smallest, largest: largest, sums: sums, lo: math.Inf(1), hi: math.Inf(-1)}
}

// ordinary records an ordinary chunk, except for its sums.
func (f *floats) ordinary(lo, hi float64, zeros uint64) {
	f.lo, f.hi = min(f.lo, lo), max(f.hi, hi)
	f.zero += int64(zeros)
}

// odd records any chunk, except for its sums.
func (f *floats) odd(chunk []byte) {
	for numbers := range decoded(f.codec, f.buf[:], chunk) {
		for _, x := range numbers {
			f.note(x)
		}
	}
}

// note records x by comparing numbers. The comparisons of patterns in the fast loops are equivalent.
func (f *floats) note(x float64) {
	abs := math.Abs(x)
	switch {
	case x != x:
		f.nan++
		return
	case x > f.largest:
		f.posInf++
		return
	case x < -f.largest:
		f.negInf++
		return
	case x == 0:
		f.zero++
	case abs < f.smallest:
		f.subnormal++
		f.subnormals.add(x, 1)
	case abs == f.largest:
		f.atMax++
	}
	f.lo, f.hi = min(f.lo, x), max(f.hi, x)
}

// merge adds the state of other. It consists of counts, exact sums and extremes, so the distribution of blocks
// does not matter.
func (f *floats) merge(other *floats) {
	f.sums.merge(&other.sums)
	f.lo, f.hi = min(f.lo, other.lo), max(f.hi, other.hi)
	f.nan += other.nan
	f.posInf += other.posInf
	f.negInf += other.negInf
	f.zero += other.zero
	f.subnormal += other.subnormal
	f.atMax += other.atMax
	f.subnormals.merge(&other.subnormals)
}

// reset removes all numbers.
func (f *floats) reset() {
	clear(f.sums.all)
	if f.subnormal > 0 {
		clear(f.subnormals[:])
	}
	f.lo, f.hi = math.Inf(1), math.Inf(-1)
	f.nan, f.posInf, f.negInf, f.zero, f.subnormal, f.atMax = 0, 0, 0, 0, 0, 0
}

// report fills s, except for the histogram. It gets the number of floats with an exponent, and the moments.
func (f *floats) report(s *Summary, in func(exponent int) uint64, m *moments) {
	s.NaN, s.PosInf, s.NegInf = f.nan, f.posInf, f.negInf
	s.Zero, s.Subnormal, s.AtMax = f.zero, f.subnormal, f.atMax
	if f.lo <= f.hi {
		s.Min, s.Max = float(f.lo), float(f.hi)
	}
	// A class is of one exponent, but that of the subnormal numbers is of all
	// below, and these were counted one by one.
	magnitudes := f.subnormals
	bias := 1<<(f.sums.exponents-1) - 1
	for e := 1; e < 1<<f.sums.exponents-1; e++ {
		magnitudes[e-bias-lowestExponent] += int64(in(e))
	}
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = m.meanAndStdDev()
}

// decoded yields the numbers of block, as many at a time as buf holds, in buf. An
// integer of 64 bits is rounded to the nearest float64; all else is exact.
func decoded(codec *num.Codec, buf []float64, block []byte) iter.Seq[[]float64] {
	size := codec.Bits() / 8
	return func(yield func([]float64) bool) {
		for rest := block; len(rest) > 0; {
			numbers := buf[:min(len(rest)/size, len(buf))]
			num.Decode(codec, numbers, rest, 0)
			if !yield(numbers) {
				return
			}
			rest = rest[len(numbers)*size:]
		}
	}
}
