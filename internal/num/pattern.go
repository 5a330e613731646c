// What one bit pattern means, for those who count patterns.

package num

// A Class is a set of what may be said of a number.
type Class uint8

const (
	NaN       Class = 1 << iota // not a number
	Inf                         // an infinity
	Zero                        // zero, of either sign
	Subnormal                   // a float below the smallest normal one, but not zero
	Max                         // a float as large as its dtype has, of either sign
)

// Has reports whether a number of class c is all that d says.
func (c Class) Has(d Class) bool { return c&d == d }

// Pattern returns the number that pattern p of an element stands for, and its
// class. A number of many of class Max was saturated, as a rule, when it was
// written. Of integers nothing is said but that they are zero.
//
// The dtype must be one of at most 16 bits; bits of p above its width are
// ignored.
func (c *Codec) Pattern(p uint16) (float64, Class) {
	p &= 1<<c.bits - 1
	x := widen(c.value(p))
	f := c.format
	if f == nil {
		if x == 0 {
			return x, Zero
		}
		return x, 0
	}
	switch m := p &^ f.sign; {
	case f.isNaN(p):
		return x, NaN
	case f.inf != 0 && m == f.inf:
		return x, Inf
	case m == f.max:
		return x, Max
	case f.sign == 0: // F8_E8M0 has neither zero nor subnormals
		return x, 0
	case m == 0:
		return x, Zero
	case m>>f.mantissa == 0:
		return x, Subnormal
	}
	return x, 0
}
