package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// h is a number in F16 at offset k of a block.
func h(b []byte, k int) float64 {
	p := binary.LittleEndian.Uint16(b[k:])
	sign, e, m := 1-2*float64(p>>15), int(p>>10&31), float64(p&1023)
	switch e {
	case 0:
		return sign * math.Ldexp(m, -24)
	case 31:
		if m > 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+m, e-25)
}

func u16(b []byte, k int) int   { return int(binary.LittleEndian.Uint16(b[k:])) }
func u32(b []byte, k int) int64 { return int64(binary.LittleEndian.Uint32(b[k:])) }
func i8(b []byte, k int) int    { return int(int8(b[k])) }

// half4 is element i of a run of 32 with 4 bits each at offset o: the low halves come first.
func half4(b []byte, i, o int) int { return int(b[o+i%16]) >> (4 * (i / 16)) & 15 }

// kScale is the scale and the minimum with index j of Q4_K and Q5_K.
func kScale(s []byte, j int) (int, int) {
	if j < 4 {
		return int(s[j]) & 63, int(s[j+4]) & 63
	}
	return int(s[j+4])&15 | int(s[j-4])>>6<<4, int(s[j+4])>>4 | int(s[j])>>6<<4
}

// negative is whether sign i of the 7-bit index x is negative.
func negative(x, i int) bool {
	return (x|bits.OnesCount(uint(x))&1<<7)>>i&1 != 0
}

func flip(v float64, negative bool) float64 {
	if negative {
		return -v
	}
	return v
}

// f rounds to float32.
func f(x float64) float64 { return float64(float32(x)) }

// formulas has element i of a block of each type, as the documentation of the types has it: in float64, in which all
// products are exact, with one rounding where ggml rounds.
var formulas = map[string]func(b []byte, i int) float64{
	"Q4_0": func(b []byte, i int) float64 { return h(b, 0) * float64(half4(b, i, 2)-8) },
	"Q4_1": func(b []byte, i int) float64 { return f(h(b, 0)*float64(half4(b, i, 4)) + h(b, 2)) },
	"Q5_0": func(b []byte, i int) float64 {
		return h(b, 0) * float64(half4(b, i, 6)|int(u32(b, 2)>>i&1)<<4-16)
	},
	"Q5_1": func(b []byte, i int) float64 {
		return f(h(b, 0)*float64(half4(b, i, 8)|int(u32(b, 4)>>i&1)<<4) + h(b, 2))
	},
	"Q8_0": func(b []byte, i int) float64 { return h(b, 0) * float64(i8(b, 2+i)) },
	"Q8_1": func(b []byte, i int) float64 { return h(b, 0) * float64(i8(b, 4+i)) },
	"Q2_K": func(b []byte, i int) float64 {
		s, q := int(b[i/16]), int(b[16+32*(i/128)+i%32])>>(2*(i%128/32))&3
		return f(h(b, 80)*float64(s&15)*float64(q) - h(b, 82)*float64(s>>4))
	},
	"Q3_K": func(b []byte, i int) float64 {
		q := int(b[32+32*(i/128)+i%32]) >> (2 * (i % 128 / 32)) & 3
		if b[i%32]>>(i/32)&1 == 0 {
			q -= 4
		}
		j := i / 16
		s := int(b[96+j%8])>>(4*(j/8))&15 | int(b[104+j%4])>>(2*(j/4))&3<<4
		return h(b, 108) * float64(s-32) * float64(q)
	},
	"Q4_K": func(b []byte, i int) float64 {
		j := i / 32
		sc, mn := kScale(b[4:16], j)
		q := int(b[16+32*(j/2)+i%32]) >> (4 * (j % 2)) & 15
		return f(h(b, 0)*float64(sc)*float64(q) - h(b, 2)*float64(mn))
	},
	"Q5_K": func(b []byte, i int) float64 {
		j := i / 32
		sc, mn := kScale(b[4:16], j)
		q := int(b[48+32*(j/2)+i%32])>>(4*(j%2))&15 + int(b[16+i%32])>>j&1<<4
		return f(h(b, 0)*float64(sc)*float64(q) - h(b, 2)*float64(mn))
	},
	"Q6_K": func(b []byte, i int) float64 {
		n, r := i/128, i%128
		k, l := r/32, r%32
		q := int(b[64*n+32*(k%2)+l])>>(4*(k/2))&15 | int(b[128+32*n+l])>>(2*k)&3<<4
		return h(b, 208) * float64(i8(b, 192+i/16)) * float64(q-32)
	},
	"Q8_K": func(b []byte, i int) float64 {
		return f(float64(math.Float32frombits(uint32(u32(b, 0)))) * float64(i8(b, 4+i)))
	},
	"IQ4_NL": func(b []byte, i int) float64 { return h(b, 0) * float64(curve[half4(b, i, 2)]) },
	"IQ4_XS": func(b []byte, i int) float64 {
		s := i / 32
		scale := int(b[4+s/2])>>(4*(s%2))&15 | u16(b, 2)>>(2*s)&3<<4
		return h(b, 0) * float64(scale-32) * float64(curve[int(b[8+16*s+i%16])>>(4*(i%32/16))&15])
	},
	"IQ2_XXS": func(b []byte, i int) float64 {
		s, l, j := i/32, i%32/8, i%8
		w := u32(b, 2+8*s+4)
		v := float64(books().iq2xxs[8*int(b[2+8*s+l])+j])
		return h(b, 0) * (0.5 + float64(w>>28)) * 0.25 * flip(v, negative(int(w>>(7*l)&127), j))
	},
	"IQ2_XS": func(b []byte, i int) float64 {
		w, sc := u16(b, 2+2*(i/8)), int(b[66+i/32])>>(4*(i%32/16))&15
		return h(b, 0) * (0.5 + float64(sc)) * 0.25 * flip(float64(books().iq2xs[8*(w&511)+i%8]), negative(w>>9, i%8))
	},
	"IQ2_S": func(b []byte, i int) float64 {
		k := i / 8
		index, sc := int(b[2+k])|int(b[66+k/4])>>(2*(k%4))&3<<8, int(b[74+i/32])>>(4*(i%32/16))&15
		return h(b, 0) * (0.5 + float64(sc)) * 0.25 * flip(float64(books().iq2s[8*index+i%8]), b[34+k]>>(i%8)&1 != 0)
	},
	"IQ3_XXS": func(b []byte, i int) float64 {
		w := u32(b, 66+4*(i/32))
		v := float64(books().iq3xxs[4*int(b[2+i/4])+i%4])
		return h(b, 0) * (0.5 + float64(w>>28)) * 0.5 * flip(v, negative(int(w>>(7*(i%32/8))&127), i%8))
	},
	"IQ3_S": func(b []byte, i int) float64 {
		k := i / 4
		index, sc := int(b[2+k])|int(b[66+k/8])>>(k%8)&1<<8, int(b[106+i/64])>>(4*(i%64/32))&15
		return h(b, 0) * float64(1+2*sc) * flip(float64(books().iq3s[4*index+i%4]), b[74+i/8]>>(i%8)&1 != 0)
	},
	"IQ1_S": func(b []byte, i int) float64 {
		k, w := i/8, u16(b, 34+2*(i/32))
		index := int(b[2+k]) | w>>(3*(k%4))&7<<8
		return h(b, 0) * float64(2*(w>>12&7)+1) * (float64(books().iq1s[8*index+i%8]) + flip(0.125, w>>15 != 0))
	},
	"IQ1_M": func(b []byte, i int) float64 {
		var d [2]byte
		binary.LittleEndian.PutUint16(d[:], uint16(u16(b, 48)>>12|u16(b, 50)>>12<<4|u16(b, 52)>>12<<8|u16(b,
			54)>>12<<12))
		k := i / 8
		nb := int(b[32+k/2]) >> (4 * (k % 2)) & 15
		scale := u16(b, 48+2*(i/64)) >> (3 * (i % 64 / 16)) & 7
		return h(d[:], 0) * float64(2*scale+1) * (float64(books().iq1s[8*(int(b[k])|nb&7<<8)+i%8]) + flip(0.125,
			nb>>3 != 0))
	},
	"TQ1_0": func(b []byte, i int) float64 {
		at, n := i%32, i/32
		switch {
		case i >= 240:
			at, n = 48+(i-240)%4, (i-240)/4
		case i >= 160:
			at, n = 32+(i-160)%16, (i-160)/16
		}
		power := 1
		for range n {
			power *= 3
		}
		return h(b, 52) * float64(int(b[at])*power%256*3>>8-1)
	},
	"TQ2_0": func(b []byte, i int) float64 {
		return h(b, 64) * float64(int(b[32*(i/128)+i%32])>>(2*(i%128/32))&3-1)
	},
	"MXFP4": func(b []byte, i int) float64 { return math.Ldexp(float64(doubled[half4(b, i, 1)]), int(b[0])-128) },
	"NVFP4": func(b []byte, i int) float64 {
		g, k := i/16, i%16
		x, s := int(b[g]), 0.0
		if e, m := x>>3&15, float64(x&7); e > 0 {
			s = math.Ldexp(8+m, e-10)
		} else {
			s = math.Ldexp(m, -9)
		}
		if x == 127 {
			s = 0
		}
		return s / 2 * float64(doubled[int(b[4+8*g+k%8])>>(4*(k/8))&15])
	},
	"Q1_0": func(b []byte, i int) float64 { return flip(h(b, 0), b[2+i/8]>>(i%8)&1 == 0) },
	"Q2_0": func(b []byte, i int) float64 { return float64(int(b[2+i/4])>>(2*(i%4))&3-1) * h(b, 0) },
}

// Each type is compared with its formula on random blocks, which have every code, infinities and NaN.
func TestDecode(t *testing.T) {
	seed := rand.Uint64()
	for _, kind := range All() {
		formula := formulas[kind.Name]
		if formula == nil {
			t.Errorf("%s has no formula", kind.Name)
			continue
		}
		t.Run(fmt.Sprintf("%s/seed=%d", kind.Name, seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, uint64(kind.ID)))
			src, dst := make([]byte, 50*kind.Bytes), make([]float32, 50*kind.Elements)
			for i := range src {
				src[i] = byte(random.Uint32())
			}
			compare(t, &kind, src, dst, formula)
		})
	}
}

// compare decodes blocks, and compares the elements with those of a formula.
func compare(t *testing.T, kind *Type, src []byte, dst []float32, formula func(b []byte, i int) float64) {
	t.Helper()
	kind.Decode(dst, src)
	for i, got := range dst {
		want := float32(formula(src[i/kind.Elements*kind.Bytes:], i%kind.Elements))
		if got != want && !(got != got && want != want) {
			t.Fatalf("%s: element %d is %v, want %v", kind.Name, i, got, want)
		}
	}
}

// Any bytes are blocks of each type.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("a block"))
	f.Add(bytes.Repeat([]byte{0xff, 0x7f, 0x80, 0}, 80))
	f.Fuzz(func(t *testing.T, some []byte) {
		for i := range types {
			kind := &types[i]
			src := make([]byte, 2*kind.Bytes)
			for n := 0; len(some) > 0 && n < len(src); {
				n += copy(src[n:], some)
			}
			compare(t, kind, src, make([]float32, 2*kind.Elements), formulas[kind.Name])
		}
	})
}

func TestReverse(t *testing.T) {
	for _, kind := range All() {
		if !kind.BigEndian() {
			continue
		}
		b := make([]byte, 2*kind.Bytes)
		for i := range b {
			b[i] = byte(i)
		}
		before := string(b)
		kind.Reverse(b)
		if len(kind.halves) > 0 && string(b) == before {
			t.Errorf("%s: nothing is reversed", kind.Name)
		}
		if kind.Reverse(b); string(b) != before {
			t.Errorf("%s: reversed twice, a block is another", kind.Name)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, kind := range All() {
		b.Run(kind.Name, func(b *testing.B) {
			src, dst := make([]byte, 1<<16/kind.Bytes*kind.Bytes), make([]float32, 1<<16/kind.Bytes*kind.Elements)
			b.SetBytes(int64(4 * len(dst)))
			for b.Loop() {
				kind.Decode(dst, src)
			}
		})
	}
}
