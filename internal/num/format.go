// The layout of narrow floats, and the number of each pattern.

package num

import "math"

// A format is the layout of a float of at most 16 bits: from the top, a sign, a biased exponent and a
// mantissa. Formats differ from IEEE 754 in their highest patterns.
//
// F8_E8M0 is the only format without a sign, and has no subnormal numbers.
type format struct {
	mantissa int    // bits
	bias     int    // added to the exponent
	sign     uint16 // the sign bit
	max      uint16 // the pattern of the largest number
	inf      uint16 // the pattern of +Inf; 0 if it does not exist
	nan      uint16 // the pattern of the quiet NaN without payload; 0 if it does not exist
}

// isNaN reports whether p is a NaN: above the largest number and not infinity, or the pattern of
// negative zero in the FNUZ formats.
func (f *format) isNaN(p uint16) bool {
	m := p &^ f.sign
	return m > f.max && m != f.inf || p == f.nan && f.fnuz()
}

// fnuz reports whether the pattern of negative zero is the only NaN.
func (f *format) fnuz() bool { return f.nan == f.sign }

// exponents returns the exponent of the smallest normal number, and the exponent of the power of two
// from which on all numbers overflow. Some smaller numbers overflow, too.
func (f *format) exponents() (low, end int) {
	low = 1 - f.bias
	if f.sign == 0 {
		low = -f.bias
	}
	return low, int(f.max>>f.mantissa) - f.bias + 1
}

// value returns the number of pattern p.
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
	// An integer times a power of two. Both are exact in a float64, and the product is exact
	// in a float32, where 2^-127 is subnormal.
	pow := math.Float64frombits(uint64(1023+exp-f.bias-f.mantissa) << 52)
	abs := float32(float64(sig) * pow)
	return math.Float32frombits(sign | math.Float32bits(abs))
}

// nanBits returns the bits of the float32 for the NaN with pattern m, without the sign.
func (f *format) nanBits(m uint16) uint32 {
	if f.inf == 0 {
		return quiet32
	}
	payload := uint32(m) & (1<<f.mantissa - 1)
	return inf32 | payload<<(23-f.mantissa)
}
