// The "I" types: codes of several elements at once, from code books.

package block

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// signs returns the sign bits of eight elements whose 7-bit index is x. The bit of the last element makes the number of
// ones even.
func signs(x uint32) byte { return byte(x | uint32(bits.OnesCount32(x)&1)<<7) }

// signed stores the values of a code times d, with signs, four at a time. It does not branch on the signs, which are
// unpredictable.
func signed(dst, values []float32, d float32, sign byte) {
	for s := uint32(sign); len(dst) >= 4; s >>= 4 {
		part, v := (*[4]float32)(dst), (*[4]float32)(values)
		part[0], part[1] = flipped(d*v[0], s), flipped(d*v[1], s>>1)
		part[2], part[3] = flipped(d*v[2], s>>2), flipped(d*v[3], s>>3)
		dst, values = dst[4:], values[4:]
	}
}

// flipped returns v with its sign changed if the lowest bit of sign is 1.
func flipped(v float32, sign uint32) float32 {
	return math.Float32frombits(math.Float32bits(v) ^ sign<<31)
}

func iq2xxs(dst []float32, b []byte) {
	d, book := half16(b), books().iq2xxs
	for s := range 8 {
		w := binary.LittleEndian.Uint32(b[2+8*s+4:])
		scale := d * (0.5 + float32(w>>28)) * 0.25
		for l := range 4 {
			signed(dst[32*s+8*l:][:8], book[8*int(b[2+8*s+l]):], scale, signs(w>>(7*l)&127))
		}
	}
}

func iq2xs(dst []float32, b []byte) {
	d, book := half16(b), books().iq2xs
	for k := range 32 {
		w := binary.LittleEndian.Uint16(b[2+2*k:])
		scale := d * (0.5 + nibble(b[66:74], k/2)) * 0.25
		signed(dst[8*k:][:8], book[8*int(w&511):], scale, signs(uint32(w>>9)))
	}
}

func iq2s(dst []float32, b []byte) {
	d, book := half16(b), books().iq2s
	for k := range 32 {
		index := int(b[2+k]) | int(b[66+k/4]>>(2*(k%4))&3)<<8
		scale := d * (0.5 + nibble(b[74:82], k/2)) * 0.25
		signed(dst[8*k:][:8], book[8*index:], scale, b[34+k])
	}
}

// nibble returns the number of 4 bits with an index, low halves first.
func nibble(b []byte, i int) float32 { return float32(b[i/2] >> (4 * (i % 2)) & 15) }

func iq3xxs(dst []float32, b []byte) {
	d, book := half16(b), books().iq3xxs
	for s := range 8 {
		w := binary.LittleEndian.Uint32(b[66+4*s:])
		scale := d * (0.5 + float32(w>>28)) * 0.5
		for l := range 4 {
			sign, codes, part := signs(w>>(7*l)&127), b[2+8*s+2*l:][:2], dst[32*s+8*l:][:8]
			signed(part[:4], book[4*int(codes[0]):], scale, sign)
			signed(part[4:], book[4*int(codes[1]):], scale, sign>>4)
		}
	}
}

func iq3s(dst []float32, b []byte) {
	d, book := half16(b), books().iq3s
	for k := range 64 {
		index := int(b[2+k]) | int(b[66+k/8]>>(k%8)&1)<<8
		scale := d * (1 + 2*nibble(b[106:110], k/8))
		signed(dst[4*k:][:4], book[4*index:], scale, b[74+k/2]>>(4*(k%2)))
	}
}

func iq4xs(dst []float32, b []byte) {
	d, top := half16(b), binary.LittleEndian.Uint16(b[2:])
	for s := range 8 {
		scale := int(b[4+s/2]>>(4*(s%2))&15) | int(top>>(2*s)&3)<<4
		curved(dst[32*s:][:32], d*float32(scale-32), b[8+16*s:])
	}
}

func iq1s(dst []float32, b []byte) {
	d := half16(b)
	for k := range 32 {
		w := binary.LittleEndian.Uint16(b[34+2*(k/4):])
		index := int(b[2+k]) | int(w>>(3*(k%4))&7)<<8
		shifted(dst[8*k:][:8], index, d*float32(2*(w>>12&7)+1), w>>15 != 0)
	}
}

// The scale of a block of IQ1_M is spread over the upper bits of four words.
func iq1m(dst []float32, b []byte) {
	var words [4]uint16
	var top uint16
	for i := range words {
		words[i] = binary.LittleEndian.Uint16(b[48+2*i:])
		top |= words[i] >> 12 << (4 * i)
	}
	var packed [2]byte
	binary.LittleEndian.PutUint16(packed[:], top)
	d := half16(packed[:])
	for k := range 32 {
		n := int(b[32+k/2] >> (4 * (k % 2)) & 15)
		scale := words[k/8] >> (3 * (k % 8 / 2)) & 7
		shifted(dst[8*k:][:8], int(b[k])|n&7<<8, d*float32(2*scale+1), n>>3 != 0)
	}
}

// shifted stores the values of a code of IQ1_S, each with a shift, times scale.
func shifted(dst []float32, index int, scale float32, negative bool) {
	delta := float32(0.125)
	if negative {
		delta = -delta
	}
	values := books().iq1s[8*index:][:8]
	for j := range dst {
		dst[j] = scale * (values[j] + delta)
	}
}
