// Types with blocks of 32 elements and one scale.

package block

import "encoding/binary"

// In blocks of 32, byte i of the values holds element i in its low half and element i+16 in its high half.

func q4_0(dst []float32, b []byte) {
	d := half16(b)
	low, high := dst[:16], dst[16:32]
	for i, q := range b[2:18] {
		low[i], high[i] = d*float32(int(q&15)-8), d*float32(int(q>>4)-8)
	}
}

func q4_1(dst []float32, b []byte) {
	d, m := half16(b), half16(b[2:])
	low, high := dst[:16], dst[16:32]
	for i, q := range b[4:20] {
		low[i], high[i] = float32(d*float32(q&15))+m, float32(d*float32(q>>4))+m
	}
}

func q5_0(dst []float32, b []byte) {
	d, top := half16(b), binary.LittleEndian.Uint32(b[2:])
	low, high := dst[:16], dst[16:32]
	for i, q := range b[6:22] {
		a, c := fifth(q, top, i)
		low[i], high[i] = d*float32(a-16), d*float32(c-16)
	}
}

func q5_1(dst []float32, b []byte) {
	d, m, top := half16(b), half16(b[2:]), binary.LittleEndian.Uint32(b[4:])
	low, high := dst[:16], dst[16:32]
	for i, q := range b[8:24] {
		a, c := fifth(q, top, i)
		low[i], high[i] = float32(d*float32(a))+m, float32(d*float32(c))+m
	}
}

// fifth returns elements i and i+16 of a block with 5 bits for each: four in q, and the highest in top.
func fifth(q byte, top uint32, i int) (int, int) {
	return int(q&15) | int(top>>i&1)<<4, int(q>>4) | int(top>>(i+16)&1)<<4
}

func q8_0(dst []float32, b []byte) { signed8(dst, half16(b), b[2:34]) }

// The second number of Q8_1 is a sum of the values, for dot products.
func q8_1(dst []float32, b []byte) { signed8(dst, half16(b), b[4:36]) }

// signed8 decodes signed bytes that have one scale.
func signed8(dst []float32, d float32, b []byte) {
	dst = dst[:len(b)]
	for i, q := range b {
		dst[i] = d * float32(int8(q))
	}
}

// curve are the values of the 16 codes of IQ4_NL and IQ4_XS.
var curve = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func iq4nl(dst []float32, b []byte) { curved(dst, half16(b), b[2:18]) }

// curved decodes 32 codes of 4 bits that have one scale.
func curved(dst []float32, d float32, b []byte) {
	low, high := dst[:16], dst[16:32]
	for i, q := range b[:16] {
		low[i], high[i] = d*curve[q&15], d*curve[q>>4]
	}
}
