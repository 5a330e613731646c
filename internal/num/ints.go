// Integers as targets: what they can hold, and from what.

package num

import "math"

// largest returns the largest integer that the dtype holds. The smallest is
// its complement if the dtype is signed, and else 0.
func (c *Codec) largest() uint64 {
	if c.kind == Signed {
		return 1<<(c.bits-1) - 1
	}
	return math.MaxUint64 >> (64 - c.bits)
}

// roundToInts is fromFloats for an integer dtype.
func (c *Codec) roundToInts(dst []uint64, src []float64, saturate bool) int {
	largest := c.largest()
	// One past the largest is a power of two, and so a float64. For 64 bits,
	// the conversion rounds up to it already, and adding 1 changes nothing.
	end, start := float64(largest)+1, 0.0
	if c.kind == Signed {
		start = -end
	}
	for i, x := range src {
		r := math.RoundToEven(x)
		switch {
		case r >= start && r < end && c.kind == Signed:
			dst[i] = uint64(int64(r))
		case r >= start && r < end:
			dst[i] = uint64(r)
		case saturate && r >= end:
			dst[i] = largest
		case saturate && r < 0 && c.kind == Signed:
			dst[i] = ^largest
		case saturate && r < 0:
			dst[i] = 0
		default:
			return i
		}
	}
	return len(src)
}

// fromInts is patterns for integers.
func fromInts[T int64 | uint64](c *Codec, dst []uint64, src []T, saturate bool) int {
	switch {
	case c.kind == Bool:
		for i, v := range src {
			dst[i] = 0
			if v != 0 {
				dst[i] = 1
			}
		}
		return len(src)
	case c.kind == Float && c.bits == 64:
		for i, v := range src {
			dst[i] = math.Float64bits(float64(v))
		}
		return len(src)
	case c.kind == Float:
		var wide [chunk]float64
		for i, v := range src {
			wide[i] = odd(v)
		}
		return c.fromFloats(dst, wide[:len(src)], saturate)
	}
	lo, hi := limits[T](c)
	for i, v := range src {
		switch {
		case lo <= v && v <= hi:
			dst[i] = uint64(v)
		case !saturate:
			return i
		case v < lo:
			dst[i] = uint64(lo)
		default:
			dst[i] = uint64(hi)
		}
	}
	return len(src)
}

// limits returns the smallest and the largest integer of type T that an
// integer dtype holds.
func limits[T int64 | uint64](c *Codec) (lo, hi T) {
	hi = T(c.largest())
	if hi < 0 {
		hi = T(uint64(hi) >> 1) // all int64 from 0 on are in U64
	}
	if c.kind == Signed && ^hi < 0 { // no uint64 is below 0
		lo = ^hi
	}
	return lo, hi
}

// odd returns v as a float64 that rounds to any narrower float as v itself
// does. A float64 that is rounded to the nearest might not: what was just above
// a tie could become one. This one is rounded to odd, which says only that
// something was there: the lowest 11 bits are cut off, and the one above them
// is set if any of them was.
//
// Of a number below 2^53, that every float64 holds, nothing is cut off. From
// there on at least 43 bits are left, and no narrower float has more than 24.
func odd[T int64 | uint64](v T) float64 {
	const cut = 1<<11 - 1
	if v < 1<<53 && int64(v) > -1<<53 || v&cut == 0 {
		return float64(v)
	}
	return float64(v&^cut | (cut + 1))
}
