// What a list of counted patterns says.

package stats

import (
	"math"
	"math/bits"
	"sync"

	"github.com/weightools/safetensors/internal/num"
)

// A multiple is a finite number that occurs n times.
type multiple struct {
	x float64
	n int64
}

// lists has lists of patterns that were reported.
var lists = sync.Pool{New: func() any { return new([]count) }}

// narrow summarizes a dtype of at most 16 bits.
func (c *Counter) narrow(p *patterns, s *Summary) {
	room := lists.Get().(*[]count)
	defer lists.Put(room)
	*room = p.list((*room)[:0])
	list, codec := *room, p.codec
	switch {
	case codec.Kind() != num.Float:
		reportIntegers(codec, list, s)
	case codec.Bits() == 16:
		reportHalves(codec, list, s)
	default:
		reportFew(codec, list, s)
	}
	if len(c.Quantiles) == 0 && c.Bins <= 0 {
		return
	}
	numbers := make([]multiple, 0, len(list))
	for _, e := range list {
		if x, class := codec.Pattern(e.pattern); !class.Has(num.NaN) && !class.Has(num.Inf) {
			numbers = append(numbers, multiple{x, int64(e.n)})
		}
	}
	if c.Bins > 0 && len(numbers) > 0 {
		h := newBins(codec, s, c.Bins)
		for _, m := range numbers {
			h.place(m.x, m.n)
		}
		s.Histogram = h.Histogram
	}
	if len(c.Quantiles) > 0 {
		s.Quantiles = quantiles(numbers, c.Quantiles, codec.Kind())
	}
}

// reportIntegers fills s for integers, and for BOOL.
func reportIntegers(codec *num.Codec, list []count, s *Summary) {
	var all sums
	var magnitudes binades
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, e := range list {
		x, _ := codec.Pattern(e.pattern)
		lo, hi = min(lo, x), max(hi, x)
		if x == 0 {
			s.Zero += int64(e.n)
		}
		magnitudes.add(x, int64(e.n))
		abs := uint64(math.Abs(x))
		sum1, sum0 := bits.Mul64(abs, e.n)
		sq1, sq0 := bits.Mul64(abs*abs, e.n)
		if x < 0 {
			var borrow uint64
			sum0, borrow = bits.Sub64(0, sum0, 0)
			sum1, _ = bits.Sub64(0, sum1, borrow)
		}
		all.add(e.n, sum0, sum1, sq0, sq1, 0)
	}
	s.extent(lo, hi, codec)
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = all.moments().meanAndStdDev()
}

// extent sets the range of the numbers, unless there are none.
func (s *Summary) extent(lo, hi float64, codec *num.Codec) {
	if lo <= hi {
		s.Min, s.Max = valueOf(lo, codec.Kind()), valueOf(hi, codec.Kind())
	}
}

// class counts n numbers of a class that has a count of its own.
func (s *Summary) class(class num.Class, x float64, n int64) {
	switch {
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

// reportFew fills s for floats of at most 8 bits. An F32 represents all of them.
func reportFew(codec *num.Codec, list []count, s *Summary) {
	const lowest = 2 - 1<<(exponents32-1) - mantissa32
	var sum [7]uint64 // 2^128 / 2^lowest, times 2^61
	var squares [13]uint64
	var magnitudes binades
	lo, hi := math.Inf(1), math.Inf(-1)
	total := uint64(0)
	for _, e := range list {
		x, class := codec.Pattern(e.pattern)
		s.class(class, x, int64(e.n))
		if class.Has(num.NaN) || class.Has(num.Inf) {
			continue
		}
		lo, hi = min(lo, x), max(hi, x)
		magnitudes.add(x, int64(e.n))
		total += e.n
		pattern := uint64(math.Float32bits(float32(x)))
		exponent, integer := int(pattern>>mantissa32&(1<<exponents32-1)), pattern&(1<<mantissa32-1)
		if exponent > 0 {
			integer |= 1 << mantissa32
		}
		shift := uint(max(exponent, 1) - 1)
		h, l := bits.Mul64(integer, e.n)
		fixed(sum[:]).add(l, h, shift, x < 0)
		h, l = bits.Mul64(integer*integer, e.n)
		fixed(squares[:]).add(l, h, 2*shift, false)
	}
	s.extent(lo, hi, codec)
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = momentsOf(total, sum[:], squares[:], lowest).meanAndStdDev()
}

// reportHalves fills s for F16 and BF16. There can be thousands of patterns, so each costs only a few additions: what
// they mean follows from their bits.
func reportHalves(codec *num.Codec, list []count, s *Summary) {
	mantissa, exponents := 7, 8
	if codec.Dtype() == "F16" {
		mantissa, exponents = 10, 5
	}
	var room [2 << 8]sums
	c := classes{mantissa, exponents, room[:2<<exponents]}
	var magnitudes binades
	last := uint16(1)<<exponents - 1
	top := last<<mantissa - 1 // the largest number
	for _, e := range list {
		exponent := e.pattern >> mantissa & last
		if exponent == 0 || e.pattern&0x7fff >= top {
			x, class := codec.Pattern(e.pattern)
			s.class(class, x, int64(e.n))
			if exponent == 0 {
				magnitudes.add(x, int64(e.n))
			}
		}
		c.add(uint64(e.pattern), e.n)
	}
	lo, hi := ends(codec, list, last<<mantissa)
	s.extent(lo, hi, codec)
	bias := int(last >> 1)
	for e := 1; e < int(last); e++ {
		magnitudes[e-bias-lowestExponent] += int64(c.in(e))
	}
	s.Exponents = magnitudes.trim()
	s.Mean, s.StdDev = c.moments().meanAndStdDev()
}

// ends returns the smallest and the largest of the finite numbers. Inf is the pattern of the infinity. Of positive
// numbers, the largest has the largest pattern, and of negative ones the smallest number has.
func ends(codec *num.Codec, list []count, inf uint16) (lo, hi float64) {
	const sign = 1 << 15
	lo, hi = math.Inf(1), math.Inf(-1)
	note := func(pattern uint16) {
		x, _ := codec.Pattern(pattern)
		lo, hi = min(lo, x), max(hi, x)
	}
	for i, e := range list {
		isEnd := i == 0 || i == len(list)-1 || list[i-1].pattern < sign && e.pattern >= sign ||
			e.pattern < inf && list[i+1].pattern >= inf || e.pattern < sign|inf && list[i+1].pattern >= sign|inf
		if isEnd && e.pattern&^sign < inf {
			note(e.pattern)
		}
	}
	return lo, hi
}
