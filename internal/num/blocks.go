// Fast loops: from blocks of elements to float32.

package num

import (
	"encoding/binary"
	"math"
	"sync"
)

// Each loop processes complete blocks and returns the number of elements.
//
// A block is an array with a constant length. Bounds are therefore checked once for each block, and
// the compiler merges the bytes of an element into one load. That is faster than viewing the bytes
// as []uint16, and works with any alignment and byte order.

// blocks decodes the leading elements of src and returns how many. It returns 0 for a dtype without
// a fast loop.
func (c *Codec) blocks(dst []float32, src []byte) int {
	switch {
	case c.bits == 4:
		return blocks4(dst, src, pairs())
	case c.bits == 6:
		return blocks6(dst, src, (*[64]float32)(c.values()))
	case c.bits == 8:
		return blocks8(dst, src, (*[256]float32)(c.values()))
	case c.bits == 16 && c.values != nil:
		return blocks16(dst, src, (*[1 << 16]float32)(c.values()))
	case c.bits == 16 && c.kind == Float:
		return blocksBF16(dst, src)
	case c.bits == 32 && c.kind == Float:
		return blocks32(dst, src)
	}
	return 0
}

// pairs has the two F4 values of each byte.
var pairs = sync.OnceValue(func() *[256][2]float32 {
	v := For("F4").values()
	t := new([256][2]float32)
	for b := range t {
		t[b] = [2]float32{v[b&15], v[b>>4]}
	}
	return t
})

// blocks4 copies pairs as eight bytes each.
func blocks4(dst []float32, src []byte, t *[256][2]float32) int {
	n := len(dst)
	for ; len(dst) >= 8 && len(src) >= 4; dst, src = dst[8:], src[4:] {
		d, s := (*[8]float32)(dst), (*[4]byte)(src)
		*(*[2]float32)(d[0:]) = t[s[0]]
		*(*[2]float32)(d[2:]) = t[s[1]]
		*(*[2]float32)(d[4:]) = t[s[2]]
		*(*[2]float32)(d[6:]) = t[s[3]]
	}
	return n - len(dst)
}

// blocks6 processes sixteen elements in twelve bytes: a load of eight bytes, whose last sixteen bits
// belong to the second half, and a load of four.
func blocks6(dst []float32, src []byte, t *[64]float32) int {
	n := len(dst)
	for ; len(dst) >= 16 && len(src) >= 12; dst, src = dst[16:], src[12:] {
		d, s := (*[16]float32)(dst), (*[12]byte)(src)
		low, high := binary.LittleEndian.Uint64(s[0:]), binary.LittleEndian.Uint32(s[8:])
		eight6((*[8]float32)(d[0:]), low, t)
		eight6((*[8]float32)(d[8:]), low>>48|uint64(high)<<16, t)
	}
	return n - len(dst)
}

// eight6 decodes eight elements of six bits; the first is in the lowest bits of w.
func eight6(d *[8]float32, w uint64, t *[64]float32) {
	d[0], d[1], d[2], d[3] = t[w&63], t[w>>6&63], t[w>>12&63], t[w>>18&63]
	d[4], d[5], d[6], d[7] = t[w>>24&63], t[w>>30&63], t[w>>36&63], t[w>>42&63]
}

// blocks8 decodes all dtypes of eight bits, including integers and BOOL, sixteen elements at a time.
// With eight, the loop itself would take as long as the elements.
func blocks8(dst []float32, src []byte, t *[256]float32) int {
	n := len(dst)
	for ; len(dst) >= 16 && len(src) >= 16; dst, src = dst[16:], src[16:] {
		d, s := (*[16]float32)(dst), (*[16]byte)(src)
		d[0], d[1], d[2], d[3] = t[s[0]], t[s[1]], t[s[2]], t[s[3]]
		d[4], d[5], d[6], d[7] = t[s[4]], t[s[5]], t[s[6]], t[s[7]]
		d[8], d[9], d[10], d[11] = t[s[8]], t[s[9]], t[s[10]], t[s[11]]
		d[12], d[13], d[14], d[15] = t[s[12]], t[s[13]], t[s[14]], t[s[15]]
	}
	return n - len(dst)
}

// blocks16 decodes F16 and integers. The table has 256 KiB, but weights use only a small part of it,
// because they have few exponents.
func blocks16(dst []float32, src []byte, t *[1 << 16]float32) int {
	n := len(dst)
	for ; len(dst) >= 8 && len(src) >= 16; dst, src = dst[8:], src[16:] {
		d, s := (*[8]float32)(dst), (*[16]byte)(src)
		d[0] = t[binary.LittleEndian.Uint16(s[0:])]
		d[1] = t[binary.LittleEndian.Uint16(s[2:])]
		d[2] = t[binary.LittleEndian.Uint16(s[4:])]
		d[3] = t[binary.LittleEndian.Uint16(s[6:])]
		d[4] = t[binary.LittleEndian.Uint16(s[8:])]
		d[5] = t[binary.LittleEndian.Uint16(s[10:])]
		d[6] = t[binary.LittleEndian.Uint16(s[12:])]
		d[7] = t[binary.LittleEndian.Uint16(s[14:])]
	}
	return n - len(dst)
}

// blocksBF16 needs no table.
func blocksBF16(dst []float32, src []byte) int {
	n := len(dst)
	for ; len(dst) >= 8 && len(src) >= 16; dst, src = dst[8:], src[16:] {
		d, s := (*[8]float32)(dst), (*[16]byte)(src)
		d[0] = upper(binary.LittleEndian.Uint16(s[0:]))
		d[1] = upper(binary.LittleEndian.Uint16(s[2:]))
		d[2] = upper(binary.LittleEndian.Uint16(s[4:]))
		d[3] = upper(binary.LittleEndian.Uint16(s[6:]))
		d[4] = upper(binary.LittleEndian.Uint16(s[8:]))
		d[5] = upper(binary.LittleEndian.Uint16(s[10:]))
		d[6] = upper(binary.LittleEndian.Uint16(s[12:]))
		d[7] = upper(binary.LittleEndian.Uint16(s[14:]))
	}
	return n - len(dst)
}

// upper returns the float32 with upper half p and lower half 0.
func upper(p uint16) float32 { return math.Float32frombits(uint32(p) << 16) }

// blocks32 decodes F32, and therefore C64.
func blocks32(dst []float32, src []byte) int {
	n := len(dst)
	for ; len(dst) >= 8 && len(src) >= 32; dst, src = dst[8:], src[32:] {
		d, s := (*[8]float32)(dst), (*[32]byte)(src)
		d[0] = math.Float32frombits(binary.LittleEndian.Uint32(s[0:]))
		d[1] = math.Float32frombits(binary.LittleEndian.Uint32(s[4:]))
		d[2] = math.Float32frombits(binary.LittleEndian.Uint32(s[8:]))
		d[3] = math.Float32frombits(binary.LittleEndian.Uint32(s[12:]))
		d[4] = math.Float32frombits(binary.LittleEndian.Uint32(s[16:]))
		d[5] = math.Float32frombits(binary.LittleEndian.Uint32(s[20:]))
		d[6] = math.Float32frombits(binary.LittleEndian.Uint32(s[24:]))
		d[7] = math.Float32frombits(binary.LittleEndian.Uint32(s[28:]))
	}
	return n - len(dst)
}
