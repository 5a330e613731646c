// How fast: bytes read and written per second, in cache.

package num

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// benchmarked is the number of elements in a benchmark: 128 KiB as float32.
const benchmarked = 1 << 15

// weights returns numbers that are distributed as weights of a network are.
func weights() []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	w := make([]float32, benchmarked)
	for i := range w {
		w[i] = float32(r.NormFloat64())
	}
	return w
}

// encoded returns weights as elements of c, their magnitudes if it is unsigned.
func encoded(c *Codec) []byte {
	w := weights()
	for i := range w {
		if c.kind == Unsigned || c.dtype == "F8_E8M0" {
			w[i] = float32(math.Abs(float64(w[i])))
		}
	}
	b := make([]byte, benchmarked*c.bits/8)
	Encode(c, b, 0, w, true)
	return b
}

func BenchmarkDecode(b *testing.B) {
	dst := make([]float32, benchmarked)
	for _, c := range codecs {
		src := encoded(c)
		b.Run(c.dtype, func(b *testing.B) {
			b.SetBytes(int64(len(src) + 4*len(dst)))
			for b.Loop() {
				Decode(c, dst, src, 0)
			}
		})
	}
}

func BenchmarkDecodeFloat64(b *testing.B) {
	dst := make([]float64, benchmarked)
	for _, c := range codecs {
		src := encoded(c)
		b.Run(c.dtype, func(b *testing.B) {
			b.SetBytes(int64(len(src) + 8*len(dst)))
			for b.Loop() {
				Decode(c, dst, src, 0)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	src := weights()
	for _, c := range codecs {
		dst := encoded(c)
		if c.kind == Unsigned {
			continue // it holds no negative weights
		}
		b.Run(c.dtype, func(b *testing.B) {
			b.SetBytes(int64(len(dst) + 4*len(src)))
			for b.Loop() {
				Encode(c, dst, 0, src, false)
			}
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	for _, pair := range [][2]string{{"BF16", "F16"}, {"F32", "BF16"}, {"BF16", "F32"}, {"I64", "I32"}} {
		from, to := For(pair[0]), For(pair[1])
		src := encoded(from)
		dst := make([]byte, benchmarked*to.bits/8)
		b.Run(pair[0]+"-"+pair[1], func(b *testing.B) {
			b.SetBytes(int64(len(dst) + len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Convert(to, dst, from, src, 0, benchmarked, false)
			}
		})
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, width := range []int{4, 6} {
		dst, src := make([]byte, benchmarked), make([]byte, benchmarked*width/8)
		b.Run(strconv.Itoa(width), func(b *testing.B) {
			b.SetBytes(int64(len(dst) + len(src)))
			for b.Loop() {
				Unpack(dst, src, 0, width)
			}
		})
	}
}
