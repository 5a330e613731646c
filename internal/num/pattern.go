// The meaning of bit patterns, for statistics that count patterns.

package num

// A Class is a set of properties of a number.
type Class uint8

const (
	NaN       Class = 1 << iota // not a number
	Inf                         // an infinity
	Zero                        // zero, of either sign
	Subnormal                   // a float below the smallest normal one, but not zero
	Max                         // a float as large as its dtype has, of either sign
)

// Has reports whether c includes all properties of d.
func (c Class) Has(d Class) bool { return c&d == d }

// Pattern returns the number of pattern p and its class. Many numbers of class Max usually mean that
// numbers were saturated when they were written. For integers the class is Zero or empty.
//
// The dtype must have at most 16 bits. Bits of p above its width are ignored.
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
