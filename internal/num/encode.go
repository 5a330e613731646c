// From numbers to elements.

package num

import "math"

// Encode writes the numbers in src to the elements of dst from element first
// on. Floats are rounded to the nearest, ties to even; the package comment says
// what becomes of numbers out of range, with saturate and without.
//
// It stops before the first number that the dtype cannot hold, and returns how
// many went before; src[n] is then at fault. Bits of dst that belong to other
// elements are left as they are. It panics if dst ends before the last element.
func Encode[T Number](c *Codec, dst []byte, first int, src []T, saturate bool) int {
	dst = clip(dst)
	for done := 0; done < len(src); {
		if rest, ok := any(src[done:]).([]float32); ok {
			if done += c.encodeBlocks(dst, first+done, rest, saturate); done == len(src) {
				break
			}
		}
		part := src[done:min(done+chunk, len(src))]
		n := encodePlain(c, dst, first+done, part, saturate)
		done += n
		if n < len(part) {
			return done
		}
	}
	return len(src)
}

// encodePlain is Encode by way of patterns, for at most chunk numbers. It is
// what the blocks are tested against.
func encodePlain[T Number](c *Codec, dst []byte, first int, src []T, saturate bool) int {
	var words [chunk]uint64
	n := patterns(c, words[:len(src)], src, saturate)
	c.store(dst, first, words[:n])
	return n
}

// patterns fills dst with the patterns of the numbers in src, as far as the
// dtype can hold them, and returns how far. There are at most chunk of them.
func patterns[T Number](c *Codec, dst []uint64, src []T, saturate bool) int {
	switch src := any(src).(type) {
	case []float32:
		if c.kind == Float && c.bits == 32 {
			// Not by way of float64: back from there, a NaN would be quiet.
			for i, x := range src {
				dst[i] = bits32(x, saturate)
			}
			return len(src)
		}
		var wide [chunk]float64
		for i, x := range src {
			wide[i] = widen(x)
		}
		return c.fromFloats(dst, wide[:len(src)], saturate)
	case []float64:
		return c.fromFloats(dst, src, saturate)
	case []int64:
		return fromInts(c, dst, src, saturate)
	case []uint64:
		return fromInts(c, dst, src, saturate)
	}
	return 0
}

// fromFloats is patterns for float64, and float32 on the way to being so.
func (c *Codec) fromFloats(dst []uint64, src []float64, saturate bool) int {
	switch {
	case c.kind == Bool:
		for i, x := range src {
			dst[i] = 0
			if x != 0 {
				dst[i] = 1
			}
		}
		return len(src)
	case c.kind != Float:
		return c.roundToInts(dst, src, saturate)
	case c.format != nil:
		return c.format.round(dst, src, saturate)
	}
	for i, x := range src {
		if c.bits == 32 {
			dst[i] = bits32(narrow(x), saturate)
			continue
		}
		if saturate && math.IsInf(x, 0) {
			x = math.Copysign(math.MaxFloat64, x)
		}
		dst[i] = math.Float64bits(x)
	}
	return len(src)
}

// bits32 returns the bits of x; of the largest number if x is infinite and
// saturate is set.
func bits32(x float32, saturate bool) uint64 {
	b := math.Float32bits(x)
	if saturate && b&^sign32 == inf32 {
		b-- // of the same sign, one below infinity
	}
	return uint64(b)
}
