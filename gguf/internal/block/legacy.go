// Types with blocks of 32 elements and one scale.

package block

import "encoding/binary"

// In blocks of 32, byte i of the values holds element i in its low half and element i+16 in its high half.

func q4_0(dst []float32, b []byte) {
	d := half16(b)
	low, high := (*[16]float32)(dst), (*[16]float32)(dst[16:])
	for i, q := range (*[16]byte)(b[2:]) {
		low[i], high[i] = d*centered[q&15], d*centered[q>>4]
	}
}

// centered are the values of the 16 codes of Q4_0. A table is faster than converting integers.
var centered = [16]float32{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}

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

// signed8 decodes signed bytes that have one scale, eight at a time. All types have a multiple of eight.
func signed8(dst []float32, d float32, b []byte) {
	for len(b) >= 8 && len(dst) >= 8 {
		q, part := (*[8]byte)(b), (*[8]float32)(dst)
		part[0], part[1], part[2], part[3] = d*bytes8[q[0]], d*bytes8[q[1]], d*bytes8[q[2]], d*bytes8[q[3]]
		part[4], part[5], part[6], part[7] = d*bytes8[q[4]], d*bytes8[q[5]], d*bytes8[q[6]], d*bytes8[q[7]]
		dst, b = dst[8:], b[8:]
	}
}

// bytes8 are the values of signed bytes. A table is faster than converting them.
var bytes8 = func() (values [256]float32) {
	for code := range values {
		values[code] = float32(int8(code))
	}
	return values
}()

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
