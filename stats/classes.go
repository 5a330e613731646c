// Exact sums of floats: integers, apart by sign and exponent.

package stats

import (
	"math/big"
	"math/bits"
)

// The layouts of F32 and F64: the bits of the mantissa and of the exponent.
const (
	mantissa32, exponents32 = 23, 8
	mantissa64, exponents64 = 52, 11
)

// classes has the floats of a tensor in classes, one for each sign and exponent, in
// the order of these bits; the last of each sign has infinities and NaNs. The
// floats of a class differ in their fraction, the bits of the mantissa, alone. So
// knowing how many there are, and the sums of their fractions and of the squares
// of these, is knowing the sums of the floats.
type classes struct {
	mantissa, exponents int    // bits
	all                 []sums // of fractions
}

func newClasses(mantissa, exponents int) classes {
	return classes{mantissa, exponents, make([]sums, 2<<exponents)}
}

// add adds n times the float with the given pattern. It is for F32, of which the
// square of a fraction is one word.
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

// in returns how many numbers have the given exponent, of either sign.
func (c *classes) in(exponent int) uint64 {
	return c.all[exponent].n + c.all[exponent+1<<c.exponents].n
}

// moments returns the sums of the finite numbers.
func (c *classes) moments() *moments {
	// A number is fraction * 2^lowest if its exponent is 0, which makes it
	// subnormal, and otherwise (2^mantissa + fraction) * 2^(lowest + exponent - 1).
	lowest := 2 - 1<<(c.exponents-1) - c.mantissa
	last := 1<<c.exponents - 1 // exponents from here on are not finite
	first := 0                 // exponents below have no numbers
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

// addClass adds the numbers of c, of which the lowest bit is that of 2^shift.
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
