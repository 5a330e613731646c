// How narrow floats are laid out, and the number of each pattern.

package num

import "math"

// A format is the layout of a float of at most 16 bits: a sign, an exponent
// with a bias, a mantissa, from the top down. It differs from IEEE 754's in
// what it does with the patterns at its end.
//
// F8_E8M0 is the odd one out: it has no sign, which is how it is told from the
// others, and its lowest exponent is that of a power of two like any other.
type format struct {
	mantissa int    // bits
	bias     int    // what the exponent is stored with added to it
	sign     uint16 // the sign bit
	max      uint16 // the pattern of the largest number
	inf      uint16 // that of +Inf; 0 if there is none
	nan      uint16 // that of the quiet NaN without payload; 0 if there is none
}

// isNaN reports whether p is a NaN: beyond the largest number, but not
// infinity; or, in the FNUZ formats, what would have been negative zero.
func (f *format) isNaN(p uint16) bool {
	m := p &^ f.sign
	return m > f.max && m != f.inf || p == f.nan && f.fnuz()
}

// fnuz reports whether negative zero's pattern is the one NaN.
func (f *format) fnuz() bool { return f.nan == f.sign }

// exponents returns that of the smallest normal number, and that of the power
// of two from which on all numbers overflow. Many below it overflow too.
func (f *format) exponents() (low, end int) {
	low = 1 - f.bias
	if f.sign == 0 {
		low = -f.bias
	}
	return low, int(f.max>>f.mantissa) - f.bias + 1
}

// value returns the number that p stands for.
func (f *format) value(p uint16) float32 {
	var sign uint32
	if p&f.sign != 0 {
		sign = sign32
	}
	m := p &^ f.sign
	switch {
	case f.isNaN(p):
		return math.Float32frombits(sign | f.nanBits(m))
	case f.inf != 0 && m == f.inf:
		return math.Float32frombits(sign | inf32)
	}
	exp := int(m >> f.mantissa)
	sig := m & (1<<f.mantissa - 1)
	switch {
	case f.sign == 0 || exp > 0:
		sig |= 1 << f.mantissa
	default: // subnormal
		exp = 1
	}
	// An integer times a power of two, both of them exact in a float64, and
	// the product in a float32: 2^-127 is a subnormal one.
	pow := math.Float64frombits(uint64(1023+exp-f.bias-f.mantissa) << 52)
	abs := float32(float64(sig) * pow)
	return math.Float32frombits(sign | math.Float32bits(abs))
}

// nanBits returns the bits of the float32 for the NaN with pattern m, but for
// the sign.
func (f *format) nanBits(m uint16) uint32 {
	if f.inf == 0 {
		return quiet32
	}
	payload := uint32(m) & (1<<f.mantissa - 1)
	return inf32 | payload<<(23-f.mantissa)
}
