// Rounding a float64 to a narrow float.

package num

import (
	"math"
	"math/bits"
)

// round fills dst with the patterns of the numbers in src. It stops before the first number that the
// format cannot represent, and returns how many it rounded.
func (f *format) round(dst []uint64, src []float64, saturate bool) int {
	if f.sign == 0 {
		return f.roundScale(dst, src, saturate)
	}
	dst = dst[:len(src)]
	for done := 0; ; done++ {
		done += f.roundFinite(dst[done:], src[done:])
		if done == len(src) {
			return done
		}
		p, ok := f.special(math.Float64bits(src[done]), saturate)
		if !ok {
			return done
		}
		dst[done] = uint64(p)
	}
}

// roundFinite is round up to the first number that is NaN, infinite, or out of range. Its loop has no
// calls, which keeps all values in registers.
func (f *format) roundFinite(dst []uint64, src []float64) int {
	low, end := f.exponents()
	emin, limit, top := uint64(1023+low), uint64(1023+end)<<mantissa64, uint64(f.max)
	man := f.mantissa & 63 // the mask tells the compiler that shifts are short
	sign := (bits.Len16(f.sign) - 1) & 63
	oneZero := f.fnuz()
	dst = dst[:len(src)]
	for i, x := range src {
		b := math.Float64bits(x)
		abs := b &^ sign64
		if abs >= limit {
			return i
		}
		p := nearest(abs, emin, man)
		if p > top {
			return i
		}
		if !oneZero || p != 0 {
			p |= b >> 63 << sign // without a branch, because signs are hard to predict
		}
		dst[i] = p
	}
	return len(src)
}

// nearest returns the pattern nearest to the float64 with bits abs, which exclude the sign, in a format
// with the given smallest normal exponent and mantissa, ignoring its largest number.
//
// The processor does the rounding. Patterns with exponent e have a distance of 2^(e-man), the same as
// float64 numbers from 2^(e-man+52) on. Adding this power leaves the number of steps in the lowest
// bits of the sum, rounded once to the nearest with ties to even. Below the smallest exponent the
// distance stays the same, which gives subnormal numbers. A carry out of the mantissa correctly
// increments the exponent.
func nearest(abs, emin uint64, man int) uint64 {
	e := max(abs>>mantissa64, emin)
	step := (e + mantissa64 - uint64(man)) << mantissa64
	sum := math.Float64frombits(abs) + math.Float64frombits(step)
	return (e-emin)<<man + math.Float64bits(sum) - step
}

// nearest32 is nearest for a float32. The exponent of the step must be in range, which is not the case
// for BF16.
func nearest32(abs, emin uint32, man int) uint32 {
	e := max(abs>>mantissa32, emin)
	step := (e + mantissa32 - uint32(man)) << mantissa32
	sum := math.Float32frombits(abs) + math.Float32frombits(step)
	return (e-emin)<<man + math.Float32bits(sum) - step
}

// special returns the pattern for a NaN, an infinity, or a number out of range. It returns false for a
// NaN if the format has none.
func (f *format) special(b uint64, saturate bool) (uint16, bool) {
	var sign uint16
	if b&sign64 != 0 {
		sign = f.sign
	}
	switch abs := b &^ sign64; {
	case abs > inf64 && f.inf != 0:
		payload := abs & (1<<mantissa64 - 1) >> (mantissa64 - f.mantissa)
		return sign | f.nan | uint16(payload), true
	case abs > inf64:
		return sign | f.nan, f.nan != 0
	case saturate || f.nan == 0:
		return sign | f.max, true
	case f.inf != 0:
		return sign | f.inf, true
	}
	// E4M3 keeps the sign. In FNUZ formats the sign bit is the NaN.
	return sign | f.nan, true
}

// roundScale is round for F8_E8M0. Numbers below its range become its smallest number instead of zero,
// so its patterns are one less than for nearest.
func (f *format) roundScale(dst []uint64, src []float64, saturate bool) int {
	low, end := f.exponents()
	emin, limit := uint64(1023+low), uint64(1023+end)<<mantissa64
	for i, x := range src {
		p := uint64(f.nan)
		if x > 0 {
			if abs := math.Float64bits(x); abs < limit {
				p = max(nearest(abs, emin, 0), 1) - 1
			}
			if saturate {
				p = min(p, uint64(f.max))
			}
		}
		dst[i] = p
	}
	return len(src)
}
