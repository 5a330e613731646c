// Encoding as integers.

package num

import "math"

// largest returns the largest integer of the dtype. The smallest one is its complement if the dtype is
// signed, and 0 otherwise.
func (c *Codec) largest() uint64 {
	if c.kind == Signed {
		return 1<<(c.bits-1) - 1
	}
	return math.MaxUint64 >> (64 - c.bits)
}

// roundToInts is fromFloats for an integer dtype.
func (c *Codec) roundToInts(dst []uint64, src []float64, saturate bool) int {
	largest := c.largest()
	// The largest integer plus one is a power of two, which a float64 represents exactly. For
	// 64 bits, the conversion rounds up to it, and adding 1 changes nothing.
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

// limits returns the smallest and the largest integer of type T in the range of an integer dtype.
func limits[T int64 | uint64](c *Codec) (lo, hi T) {
	hi = T(c.largest())
	if hi < 0 {
		hi = T(uint64(hi) >> 1) // U64 contains all non-negative int64
	}
	if c.kind == Signed && ^hi < 0 { // false for uint64
		lo = ^hi
	}
	return lo, hi
}

// odd returns v as a float64 that rounds to any narrower float as v itself does. Rounding v to the
// nearest float64 would not suffice, because a number just above a tie could become one. Instead v is
// rounded to odd: the lowest 11 bits are dropped, and the bit above them is set if any of them was.
//
// Numbers below 2^53 are exact. Above, at least 43 bits remain, and narrower floats have at most 24.
func odd[T int64 | uint64](v T) float64 {
	const cut = 1<<11 - 1
	if v < 1<<53 && int64(v) > -1<<53 || v&cut == 0 {
		return float64(v)
	}
	return float64(v&^cut | (cut + 1))
}
