// Fast loops from float32 to dtypes that are common in models.

package num

import (
	"encoding/binary"
	"math"
)

// encodeBlocks encodes leading numbers of src and returns how many. It stops before a number that is
// out of range or NaN, and before the last few numbers, which patterns encodes. It returns 0 for a
// dtype without a fast loop.
func (c *Codec) encodeBlocks(dst []byte, first int, src []float32, saturate bool) int {
	switch {
	case c.kind != Float:
		return 0
	case c.bits == 32 && !saturate:
		return encodeF32(dst[4*first:], src)
	case c.bits == 16 && c.format.mantissa == 7:
		return encodeBF16(dst[2*first:], src)
	case c.bits == 16:
		return encodeF16(dst[2*first:], src)
	case c.bits == 8 && c.format.sign != 0:
		return c.format.encodeF8(dst[first:], src)
	}
	return 0
}

// encodeF8 encodes any 8-bit float with a sign.
func (f *format) encodeF8(dst []byte, src []float32) int {
	low, end := f.exponents()
	emin, limit, top := uint32(127+low), uint32(127+end)<<mantissa32, uint32(f.max)
	man := f.mantissa & 31
	oneZero := f.fnuz()
	dst = dst[:len(src)]
	for i, x := range src {
		b := math.Float32bits(x)
		abs := b &^ sign32
		if abs >= limit {
			return i
		}
		p := nearest32(abs, emin, man)
		if p > top {
			return i
		}
		if !oneZero || p != 0 {
			p |= b >> 31 << 7
		}
		dst[i] = byte(p)
	}
	return len(src)
}

// encodeF16 is like encodeF8 with constants that the compiler knows.
func encodeF16(dst []byte, src []float32) int {
	const emin, man = 127 - 14, 10
	n := 0
	for ; len(src) >= 8 && len(dst) >= 16; src, dst = src[8:], dst[16:] {
		s, d := (*[8]float32)(src), (*[16]byte)(dst)
		for k, x := range s {
			b := math.Float32bits(x)
			abs := b &^ sign32
			// At least 65520, halfway between the largest number and the next.
			if abs >= 0x477ff000 {
				return n
			}
			p := nearest32(abs, emin, man) | b>>31<<15
			binary.LittleEndian.PutUint16(d[2*k:], uint16(p))
		}
		n += 8
	}
	return n
}

// encodeBF16 rounds by adding half of the last place, minus one if the upper half is even, and
// dropping the lower half.
func encodeBF16(dst []byte, src []float32) int {
	n := 0
	for ; len(src) >= 8 && len(dst) >= 16; src, dst = src[8:], dst[16:] {
		s, d := (*[8]float32)(src), (*[16]byte)(dst)
		for k, x := range s {
			b := math.Float32bits(x)
			// At least halfway between the largest number and the next.
			if b&^sign32 >= 0x7f7f8000 {
				return n
			}
			binary.LittleEndian.PutUint16(d[2*k:], uint16((b+0x7fff+b>>16&1)>>16))
		}
		n += 8
	}
	return n
}

// encodeF32 copies bits, also for NaNs.
func encodeF32(dst []byte, src []float32) int {
	n := 0
	for ; len(src) >= 8 && len(dst) >= 32; src, dst = src[8:], dst[32:] {
		s, d := (*[8]float32)(src), (*[32]byte)(dst)
		for k, x := range s {
			binary.LittleEndian.PutUint32(d[4*k:], math.Float32bits(x))
		}
		n += 8
	}
	return n
}
