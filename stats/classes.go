// Exact sums of floats, as integers for each sign and exponent.

package stats

import (
	"math/big"
	"math/bits"
)

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

// moments returns the sums of the finite numbers.
func (c *classes) moments() *moments {
	// A number is fraction * 2^lowest if its exponent is 0, which makes it
	// subnormal, and otherwise (2^mantissa + fraction) * 2^(lowest + exponent - 1).
	lowest := 2 - 1<<(c.exponents-1) - c.mantissa
	last := 1<<c.exponents - 1 // the exponent of infinities and NaNs
	first := 0                 // there are no numbers with lower exponents
	for first < last-1 && c.in(first) == 0 {
		first++
	}
	unit := max(first, 1) - 1 // what is summed is a multiple of 2^(lowest + unit)
	m := &moments{exp: lowest + unit}
	for e := first; e < last; e++ {
		for _, negative := range []bool{false, true} {
			at := &c.all[e]
			if negative {
				at = &c.all[e+1<<c.exponents]
			}
			if at.n > 0 {
				m.addClass(at, negative, e > 0, c.mantissa, uint(max(e, 1)-1-unit))
			}
		}
	}
	return m
}

// addClass adds the numbers of c, whose lowest bit represents 2^shift.
func (m *moments) addClass(c *sums, negative, normal bool, mantissa int, shift uint) {
	sum := join(c.sum[:]...)
	squares := join(c.squares[:]...)
	if normal {
		// With k = 2^mantissa, (k + f)² is k² + 2kf + f².
		n := join(c.n)
		squares.Add(squares, new(big.Int).Lsh(sum, uint(mantissa+1)))
		squares.Add(squares, new(big.Int).Lsh(n, uint(2*mantissa)))
		sum.Add(sum, n.Lsh(n, uint(mantissa)))
	}
	if negative {
		sum.Neg(sum)
	}
	m.n += int64(c.n)
	m.sum.Add(&m.sum, sum.Lsh(sum, shift))
	m.squares.Add(&m.squares, squares.Lsh(squares, 2*shift))
}
