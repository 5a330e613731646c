// The "K" types: blocks of 256 elements with scales for 16 or 32 of them.

package block

import (
	"encoding/binary"
	"math"
)

func q2K(dst []float32, b []byte) {
	d, m := half16(b[80:]), half16(b[82:])
	for i := 0; i < 256; i += 16 {
		s := b[i/16]
		scale, low := d*float32(s&15), m*float32(s>>4)
		shift := i % 128 / 32 * 2
		src, part := b[16+32*(i/128)+i%32:][:16], dst[i:][:16]
		for k, q := range src {
			part[k] = float32(scale*float32(q>>shift&3)) - low
		}
	}
}

func q3K(dst []float32, b []byte) {
	d := half16(b[108:])
	scales := b[96:108]
	for i := 0; i < 256; i += 16 {
		j := i / 16
		s := int(scales[j%8]>>(4*(j/8))&15) | int(scales[8+j%4]>>(2*(j/4))&3)<<4
		scale := d * float32(s-32)
		shift, bit := i%128/32*2, i/32
		src, mask, part := b[32+32*(i/128)+i%32:][:16], b[i%32:][:16], dst[i:][:16]
		for k, q := range src {
			v := int(q>>shift&3) + int(mask[k]>>bit&1)<<2 - 4
			part[k] = scale * float32(v)
		}
	}
}

// scaleMin returns the scale and the minimum of the 32 elements with index j in a block of Q4_K or Q5_K. Both have 6
// bits.
func scaleMin(s []byte, j int) (scale, low float32) {
	if j < 4 {
		return float32(s[j] & 63), float32(s[j+4] & 63)
	}
	return float32(s[j+4]&15 | s[j-4]>>6<<4), float32(s[j+4]>>4 | s[j]>>6<<4)
}

// whole are the values of the 16 codes of Q4_K.
var whole = [16]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func q4K(dst []float32, b []byte) {
	d, m := half16(b), half16(b[2:])
	for j := 0; j < 8; j += 2 {
		src := b[16+16*j:][:32]
		s0, m0 := scaleMin(b[4:16], j)
		s1, m1 := scaleMin(b[4:16], j+1)
		s0, m0, s1, m1 = d*s0, m*m0, d*s1, m*m1
		low, high := (*[32]float32)(dst[32*j:]), (*[32]float32)(dst[32*j+32:])
		for k, q := range (*[32]byte)(src) {
			low[k], high[k] = float32(s0*whole[q&15])-m0, float32(s1*whole[q>>4])-m1
		}
	}
}

func q5K(dst []float32, b []byte) {
	d, m := half16(b), half16(b[2:])
	tops := b[16:48]
	for j := 0; j < 8; j += 2 {
		src := b[48+16*j:][:32]
		s0, m0 := scaleMin(b[4:16], j)
		s1, m1 := scaleMin(b[4:16], j+1)
		s0, m0, s1, m1 = d*s0, m*m0, d*s1, m*m1
		low, high := dst[32*j:][:32], dst[32*j+32:][:32]
		for k, q := range src {
			top := tops[k] >> j
			low[k] = float32(s0*float32(q&15|top<<4&16)) - m0
			high[k] = float32(s1*float32(q>>4|top<<3&16)) - m1
		}
	}
}

// Two bytes of four bits and one of two bits have four elements, which are 32 apart.
func q6K(dst []float32, b []byte) {
	d := half16(b[208:])
	for i := range 4 {
		n, half := i/2, 16*(i%2)
		first, second := (*[16]byte)(b[64*n+half:]), (*[16]byte)(b[64*n+32+half:])
		out, scales := dst[128*n+half:], b[192+8*n+i%2:]
		p0, p1, p2, p3 := (*[16]float32)(out), (*[16]float32)(out[32:]), (*[16]float32)(out[64:]), (*[16]float32)(out[96:])
		s0, s1 := d*float32(int8(scales[0])), d*float32(int8(scales[2]))
		s2, s3 := d*float32(int8(scales[4])), d*float32(int8(scales[6]))
		for l, top := range (*[16]byte)(b[128+32*n+half:]) {
			q, r := first[l], second[l]
			p0[l], p1[l] = s0*sixBits[q&15|top&3<<4], s1*sixBits[r&15|top>>2&3<<4]
			p2[l], p3[l] = s2*sixBits[q>>4|top>>4&3<<4], s3*sixBits[r>>4|top>>6<<4]
		}
	}
}

// sixBits are the values of the 64 codes of Q6_K. There are as many as a byte has, so that indices need no check.
var sixBits = func() (values [256]float32) {
	for code := range 64 {
		values[code] = float32(code - 32)
	}
	return values
}()

// The sums after the values of Q8_K are for dot products.
func q8K(dst []float32, b []byte) {
	signed8(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)), b[4:260])
}
