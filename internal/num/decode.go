// Decoding elements to numbers.

package num

import "math"

// Decode decodes elements of src, beginning with element first, and fills dst. Numbers that T cannot
// represent are rounded to the nearest.
//
// Decode panics if src is too short.
func Decode[T float32 | float64](c *Codec, dst []T, src []byte, first int) {
	switch dst := any(dst).(type) {
	case []float32:
		c.float32s(dst, src, first)
	case []float64:
		c.float64s(dst, src, first)
	}
}

// float32s decodes blocks as far as possible, and the rest one by one. Blocks of sub-byte elements
// begin at a multiple of four, which is at a byte boundary.
func (c *Codec) float32s(dst []float32, src []byte, first int) {
	if head := min(-first&3, len(dst)); c.bits < 8 && head > 0 {
		c.plain32(dst[:head], src, first)
		dst, first = dst[head:], first+head
	}
	start := first * (c.bits / 8)
	if c.bits < 8 {
		start = first / 4 * (c.bits / 2)
	}
	n := c.blocks(dst, src[start:])
	if n < len(dst) {
		c.plain32(dst[n:], src, first+n)
	}
}

// plain32 decodes one pattern at a time. Tests compare the fast loops with it.
func (c *Codec) plain32(dst []float32, src []byte, first int) {
	var buf [chunk]uint64
	for len(dst) > 0 {
		words := buf[:min(chunk, len(dst))]
		c.load(words, src, first)
		switch {
		case c.kind == Unsigned && c.bits == 64:
			for i, w := range words {
				dst[i] = float32(odd(w))
			}
		case c.kind == Signed && c.bits == 64:
			for i, w := range words {
				dst[i] = float32(odd(int64(w)))
			}
		case c.kind != Float:
			integers(c, dst, words)
		case c.bits == 64:
			for i, w := range words {
				dst[i] = narrow(math.Float64frombits(w))
			}
		case c.bits == 32:
			for i, w := range words {
				dst[i] = math.Float32frombits(uint32(w))
			}
		default:
			for i, w := range words {
				dst[i] = c.format.value(uint16(w))
			}
		}
		dst, first = dst[len(words):], first+len(words)
	}
}

// float64s decodes through float32 if that is exact.
func (c *Codec) float64s(dst []float64, src []byte, first int) {
	var buf [chunk]uint64
	var half [chunk]float32
	wide := c.bits == 64 || c.bits == 32 && c.kind != Float
	for len(dst) > 0 {
		n := min(chunk, len(dst))
		switch words := buf[:n]; {
		case !wide:
			c.float32s(half[:n], src, first)
			for i, x := range half[:n] {
				dst[i] = widen(x)
			}
		case c.kind == Float:
			c.load(words, src, first)
			for i, w := range words {
				dst[i] = math.Float64frombits(w)
			}
		default:
			c.load(words, src, first)
			integers(c, dst, words)
		}
		dst, first = dst[n:], first+n
	}
}

// Ints decodes integer elements of src, beginning with element first, and fills dst. It stops before
// the first integer that T cannot represent (a negative one for uint64, or one above the largest
// int64), and returns how many it decoded. For a float dtype it returns 0.
//
// Ints panics if src is too short.
func Ints[T int64 | uint64](c *Codec, dst []T, src []byte, first int) int {
	if c.kind == Float {
		return 0
	}
	var buf [chunk]uint64
	for done := 0; done < len(dst); {
		words := buf[:min(chunk, len(dst)-done)]
		c.load(words, src, first+done)
		out := dst[done : done+len(words)]
		integers(c, out, words)
		for i, x := range out {
			// The bits have the same meaning for T and the dtype, unless the sign
			// differs.
			if (x < 0) != (c.kind == Signed && words[i]>>(c.bits-1) != 0) {
				return done + i
			}
		}
		done += len(words)
	}
	return len(dst)
}

// integers converts patterns of integers to numbers. It rounds to the nearest if T is a float, and
// keeps the low 64 bits if T is an integer. It must not be used from 64 bits to float32: on machines
// without native int64, such as 386, that conversion rounds twice.
func integers[T Number](c *Codec, dst []T, words []uint64) {
	dst = dst[:len(words)]
	switch shift := 64 - c.bits; c.kind {
	case Bool:
		for i, w := range words {
			dst[i] = T(min(w, 1))
		}
	case Unsigned:
		for i, w := range words {
			dst[i] = T(w)
		}
	case Signed:
		for i, w := range words {
			dst[i] = T(int64(w<<shift) >> shift)
		}
	}
}
