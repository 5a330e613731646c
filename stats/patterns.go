// Dtypes of at most 16 bits: all is known from how often each pattern occurs.

package stats

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/num"
)

// patterns counts the patterns of a dtype of at most 16 bits.
type patterns struct {
	codec *num.Codec
	words words
	odd   [256]uint64 // bytes that were left over by words of two
}

func (p *patterns) add(b []byte) {
	if p.codec.Bits() == 6 {
		p.words.count12(b)
		return
	}
	even := len(b) &^ 1
	p.words.count16(b[:even])
	for _, c := range b[even:] {
		p.odd[c]++
	}
}

func (p *patterns) merge(other *patterns) {
	p.words.merge(&other.words)
	for c, n := range other.odd {
		p.odd[c] += n
	}
}

// all yields the patterns that occur, ascending, and how often.
func (p *patterns) all() iter.Seq2[uint16, uint64] {
	switch p.codec.Bits() {
	case 16:
		return p.words.all()
	case 6:
		return p.split(12)
	}
	return p.split(16)
}

// split is all for words of several elements.
func (p *patterns) split(wordBits int) iter.Seq2[uint16, uint64] {
	width := p.codec.Bits()
	var counts [256]uint64
	put := func(word uint16, bits int, n uint64) {
		for ; bits > 0; bits -= width {
			counts[word&(1<<width-1)] += n
			word >>= width
		}
	}
	for w, n := range p.words.all() {
		put(w, wordBits, n)
	}
	for c, n := range p.odd { // none for 6 bits
		put(uint16(c), 8, n)
	}
	return func(yield func(uint16, uint64) bool) {
		for pattern, n := range counts {
			if n > 0 && !yield(uint16(pattern), n) {
				return
			}
		}
	}
}

// A multiple is a finite number, and how often it occurs.
type multiple struct {
	x float64
	n int64
}

// report fills s with all but quantiles and the histogram. It returns the finite
// numbers, in the order of their patterns.
func (p *patterns) report(s *Summary) []multiple {
	var numbers []multiple
	sums := newClasses(mantissa32, exponents32)
	magnitudes := new(binades)
	lo, hi := math.Inf(1), math.Inf(-1)
	for pattern, count := range p.all() {
		n := int64(count)
		x, class := p.codec.Pattern(pattern)
		switch {
		case class.Has(num.NaN):
			s.NaN += n
			continue
		case class.Has(num.Inf) && x > 0:
			s.PosInf += n
			continue
		case class.Has(num.Inf):
			s.NegInf += n
			continue
		case class.Has(num.Zero):
			s.Zero += n
		case class.Has(num.Subnormal):
			s.Subnormal += n
		case class.Has(num.Max):
			s.AtMax += n
		}
		numbers = append(numbers, multiple{x, n})
		lo, hi = min(lo, x), max(hi, x)
		sums.add(uint64(math.Float32bits(float32(x))), count)
		magnitudes.add(x, n)
	}
	if len(numbers) > 0 {
		s.Min, s.Max = valueOf(lo, p.codec.Kind()), valueOf(hi, p.codec.Kind())
	}
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = sums.moments().meanAndStdDev()
	return numbers
}

// quantiles returns the numbers in the places of qs, and nil if there are none.
// It leaves numbers sorted.
func quantiles(numbers []multiple, kind num.Kind, qs []float64) []Value {
	if len(numbers) == 0 || len(qs) == 0 {
		return nil
	}
	slices.SortFunc(numbers, func(a, b multiple) int { return cmp.Compare(a.x, b.x) })
	var total int64
	ranks := make([]int64, len(numbers)) // the last place of each
	for i, m := range numbers {
		total += m.n
		ranks[i] = total
	}
	values := make([]Value, len(qs))
	for i, q := range qs {
		place := min(max(1, int64(math.Ceil(q*float64(total)))), total)
		at, _ := slices.BinarySearch(ranks, place)
		values[i] = valueOf(numbers[at].x, kind)
	}
	return values
}
