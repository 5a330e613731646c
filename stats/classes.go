// Exact sums of floats, as integers for each sign and exponent.

package stats

import "math/bits"

// The layouts of F32 and F64: the numbers of bits of mantissa and exponent.
const (
	mantissa32, exponents32 = 23, 8
	mantissa64, exponents64 = 52, 11
)

// classes groups floats by sign and exponent, in the order of these bits. The last class of each sign
// has infinities and NaNs. Floats of a class differ only in their fraction, the mantissa bits. The sums
// of the floats therefore follow from their number and the sums of the fractions and their squares.
type classes struct {
	mantissa, exponents int    // bits
	all                 []sums // of fractions
}

func newClasses(mantissa, exponents int) classes {
	return classes{mantissa, exponents, make([]sums, 2<<exponents)}
}

// add adds n times the float with the given pattern. It must be an F32, because the square of its
// fraction fits into one word.
func (c *classes) add(pattern, n uint64) {
	fraction := pattern & (1<<c.mantissa - 1)
	sum1, sum0 := bits.Mul64(fraction, n)
	sq1, sq0 := bits.Mul64(fraction*fraction, n)
	c.all[pattern>>c.mantissa].add(n, sum0, sum1, sq0, sq1, 0)
}

func (c *classes) merge(other *classes) {
	for i := range c.all {
		c.all[i].merge(&other.all[i])
	}
}

// in returns the number of floats with the given exponent and any sign.
func (c *classes) in(exponent int) uint64 {
	return c.all[exponent].n + c.all[exponent+1<<c.exponents].n
}

// total returns the number of finite floats, and adds their sums to sum and squares, whose units are the smallest
// subnormal number and its square.
func (c *classes) total(sum, squares fixed) (n uint64) {
	last := 1<<c.exponents - 1 // the exponent of infinities and NaNs
	for e := range last {
		if c.in(e) > 0 {
			n += c.addClass(e, false, sum, squares) + c.addClass(e, true, sum, squares)
		}
	}
	return n
}

// addClass adds the floats of a class. A number is its fraction if its exponent is 0, which makes it subnormal, and
// otherwise (2^mantissa + fraction) * 2^(exponent - 1).
func (c *classes) addClass(exponent int, negative bool, sum, squares fixed) (n uint64) {
	at := exponent
	if negative {
		at += 1 << c.exponents
	}
	s := &c.all[at]
	if s.n == 0 {
		return 0
	}
	shift, m := uint(max(exponent, 1)-1), uint(c.mantissa)
	sum.add(s.sum[0], s.sum[1], shift, negative)
	squares.add(s.squares[0], s.squares[1], 2*shift, false)
	squares.add(s.squares[2], 0, 2*shift+128, false)
	if exponent > 0 {
		// With k = 2^mantissa, (k + f)² is k² + 2kf + f².
		sum.add(s.n, 0, shift+m, negative)
		squares.add(s.sum[0], s.sum[1], 2*shift+m+1, false)
		squares.add(s.n, 0, 2*shift+2*m, false)
	}
	return s.n
}

// moments returns the sums of the finite numbers.
func (c *classes) moments() *moments {
	lowest := 2 - 1<<(c.exponents-1) - c.mantissa
	bits := 1<<c.exponents + c.mantissa + 64
	sum, squares := make(fixed, bits/64+1), make(fixed, 2*bits/64+3)
	n := c.total(sum, squares)
	return momentsOf(n, sum, squares, lowest)
}
