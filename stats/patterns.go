// Dtypes of at most 16 bits: counting patterns.

package stats

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/num"
)

// patterns counts the patterns of a dtype of at most 16 bits. Each pattern is decoded once, at the end.
//
// A norm or bias has fewer elements than there are patterns. Small tensors are therefore kept as bytes, and
// sorted at the end.
type patterns struct {
	codec *num.Codec
	few   []byte      // the elements of a small tensor
	words *words      // nil while few is in use
	odd   [256]uint64 // counts of single bytes at the end of a tensor
}

// fewMost is the maximum size of few in bytes. Sorting so many elements takes about as long as allocating and
// reading the table.
const fewMost = 4 << 10

func (p *patterns) add(b []byte) {
	if p.words == nil {
		if len(p.few)+len(b) <= fewMost {
			p.few = append(p.few, b...)
			return
		}
		p.tabulate()
	}
	p.count(b)
}

// tabulate creates the table and counts the elements in few.
func (p *patterns) tabulate() {
	p.words = new(words)
	p.count(p.few)
	p.few = nil
}

// count counts whole elements in the table.
func (p *patterns) count(b []byte) {
	switch p.codec.Bits() {
	case 16:
		p.words.elements(b)
		return
	case 6:
		p.words.sixes(b)
		return
	}
	even := len(b) &^ 1
	p.words.groups(b[:even])
	for _, c := range b[even:] {
		p.odd[c]++
	}
}

// merge adds the counts of other.
func (p *patterns) merge(other *patterns) {
	p.add(other.few)
	if other.words == nil {
		return
	}
	if p.words == nil {
		p.tabulate()
	}
	p.words.merge(other.words)
	for c, n := range other.odd {
		p.odd[c] += n
	}
}

// all yields the patterns that occur, ascending, and how often.
func (p *patterns) all() iter.Seq2[uint16, uint64] {
	switch {
	case p.words == nil:
		return p.sorted()
	case p.codec.Bits() == 16:
		return p.words.all()
	case p.codec.Bits() == 6:
		return p.split(12)
	}
	return p.split(16)
}

// sorted is all for small tensors.
func (p *patterns) sorted() iter.Seq2[uint16, uint64] {
	width := p.codec.Bits()
	elements := make([]uint16, 0, len(p.few)*8/width)
	if width == 16 {
		for b := range slices.Chunk(p.few, 2) {
			elements = append(elements, le.Uint16(b))
		}
	} else {
		narrow := make([]byte, cap(elements))
		num.Unpack(narrow, p.few, 0, width)
		for _, c := range narrow {
			elements = append(elements, uint16(c))
		}
	}
	slices.Sort(elements)
	return func(yield func(uint16, uint64) bool) {
		for i := 0; i < len(elements); {
			first := i
			for i < len(elements) && elements[i] == elements[first] {
				i++
			}
			if !yield(elements[first], uint64(i-first)) {
				return
			}
		}
	}
}

// split is all for words of several elements. The order of elements in a word does not matter.
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
	for c, n := range p.odd { // empty for 6 bits
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

// finite yields the finite numbers that occur, in the order of their patterns, with their counts.
func (p *patterns) finite() iter.Seq2[float64, int64] {
	return func(yield func(float64, int64) bool) {
		for pattern, n := range p.all() {
			x, class := p.codec.Pattern(pattern)
			if !class.Has(num.NaN) && !class.Has(num.Inf) && !yield(x, int64(n)) {
				return
			}
		}
	}
}

// report fills s, except for quantiles and the histogram.
func (p *patterns) report(s *Summary) {
	for pattern, count := range p.all() {
		n := int64(count)
		switch x, class := p.codec.Pattern(pattern); {
		case class.Has(num.NaN):
			s.NaN += n
		case class.Has(num.Inf) && x > 0:
			s.PosInf += n
		case class.Has(num.Inf):
			s.NegInf += n
		case class.Has(num.Zero):
			s.Zero += n
		case class.Has(num.Subnormal):
			s.Subnormal += n
		case class.Has(num.Max):
			s.AtMax += n
		}
	}
	// An F32 represents every number of a narrow dtype, including integers, so the sums are
	// those of F32.
	sums := newClasses(mantissa32, exponents32)
	magnitudes := new(binades)
	lo, hi := math.Inf(1), math.Inf(-1)
	for x, n := range p.finite() {
		lo, hi = min(lo, x), max(hi, x)
		sums.add(uint64(math.Float32bits(float32(x))), uint64(n))
		magnitudes.add(x, n)
	}
	if lo <= hi {
		s.Min, s.Max = valueOf(lo, p.codec.Kind()), valueOf(hi, p.codec.Kind())
	}
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = sums.moments().meanAndStdDev()
}

// quantiles returns the quantiles qs, or nil without numbers.
func (p *patterns) quantiles(qs []float64) []Value {
	type multiple struct {
		x float64
		n int64
	}
	var numbers []multiple
	for x, n := range p.finite() {
		numbers = append(numbers, multiple{x, n})
	}
	if len(numbers) == 0 {
		return nil
	}
	// Patterns and numbers differ in their order, so sort them. There are at most some
	// thousand.
	slices.SortFunc(numbers, func(a, b multiple) int { return cmp.Compare(a.x, b.x) })
	ranks := make([]int64, len(numbers)) // the last position of each
	var total int64
	for i, m := range numbers {
		total += m.n
		ranks[i] = total
	}
	values := make([]Value, len(qs))
	for i, q := range qs {
		place := min(max(1, int64(math.Ceil(q*float64(total)))), total)
		at, _ := slices.BinarySearch(ranks, place)
		values[i] = valueOf(numbers[at].x, p.codec.Kind())
	}
	return values
}
