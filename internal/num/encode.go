// Encoding numbers as elements.

package num

import "math"

// Encode encodes the numbers in src as elements of dst, beginning with element first. Floats are
// rounded to the nearest, ties to even. The package comment describes numbers out of range, with and
// without saturate.
//
// It stops before the first number that the dtype cannot represent, src[n], and returns n. Bits of
// dst that belong to other elements do not change. Encode panics if dst is too short.
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

// encodePlain encodes one pattern at a time, at most chunk numbers. Tests compare the fast loops with
// it.
func encodePlain[T Number](c *Codec, dst []byte, first int, src []T, saturate bool) int {
	var words [chunk]uint64
	n := patterns(c, words[:len(src)], src, saturate)
	c.store(dst, first, words[:n])
	return n
}

// patterns fills dst with the patterns of the numbers in src, at most chunk. It stops before a number
// that the dtype cannot represent, and returns how many it encoded.
func patterns[T Number](c *Codec, dst []uint64, src []T, saturate bool) int {
	switch src := any(src).(type) {
	case []float32:
		if c.kind == Float && c.bits == 32 {
			// Conversion through float64 would make a NaN quiet.
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

// fromFloats is patterns for float64, and for float32 after conversion to float64.
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

// bits32 returns the bits of x, or of the largest number if x is infinite and saturate is set.
func bits32(x float32, saturate bool) uint64 {
	b := math.Float32bits(x)
	if saturate && b&^sign32 == inf32 {
		b-- // the largest number with the same sign
	}
	return uint64(b)
}
