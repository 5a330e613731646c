// How fast: bytes counted per second, in one goroutine, and end to end.

package stats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// weights returns size bytes of elements of the dtype that are distributed as
// weights of a network are: normally, and scaled to use what range it has.
func weights(dtype safetensors.Dtype, size int) []byte {
	c := num.For(string(dtype))
	scale := 0.02
	switch {
	case c.Kind() != num.Float:
		scale = 30
	case c.Bits() <= 8:
		scale = 1
	}
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float64, size*8/c.Bits())
	for i := range numbers {
		numbers[i] = r.NormFloat64() * scale
		if c.Kind() == num.Unsigned || dtype == safetensors.F8_E8M0 {
			numbers[i] = math.Abs(numbers[i])
		}
	}
	b := make([]byte, size)
	num.Encode(c, b, 0, numbers, true)
	return b
}

// benchmarked is a multiple of all widths: 3 MiB, more than second-level caches.
const benchmarked = 3 << 20

func tensorOf(dtype safetensors.Dtype, b []byte) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{
			Name: "t", Dtype: dtype,
			Shape:   []int64{int64(len(b)) * 8 / int64(dtype.Bits())},
			Offsets: safetensors.Span{End: int64(len(b))},
		},
		ReaderAt: bytes.NewReader(b),
	}
}

func BenchmarkOf(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for dtype := range safetensors.Dtypes() {
			c := &Counter{Workers: workers}
			t := tensorOf(dtype, weights(dtype, 8*benchmarked))
			b.Run(string(dtype)+"/"+string(rune('0'+workers)), func(b *testing.B) {
				b.SetBytes(t.Size())
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Of(t); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	t := tensorOf(safetensors.BF16, weights(safetensors.BF16, 8*benchmarked))
	for workers := 1; workers <= 2; workers++ {
		b.Run(string(rune('0'+workers)), func(b *testing.B) {
			c := &Counter{SHA256: true, Workers: workers}
			b.SetBytes(t.Size())
			for b.Loop() {
				if _, err := c.Of(t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchmarkAdd measures one accumulator on one block, in cache.
func benchmarkAdd(b *testing.B, name string, block []byte, add func([]byte)) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(block)))
		for b.Loop() {
			add(block)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	for _, dtype := range []safetensors.Dtype{"BF16", "F16", "F8_E4M3", "F4", "F6_E3M2", "I8"} {
		p := newPatterns(num.For(string(dtype)), 1<<40)
		benchmarkAdd(b, string(dtype), weights(dtype, benchmarked), p.add)
	}
	benchmarkAdd(b, "BF16/zeros", make([]byte, benchmarked), newPatterns(num.For("BF16"), 1<<40).add)
	f32 := weights("F32", benchmarked)
	benchmarkAdd(b, "F32/naive", f32, func(block []byte) { naive(block) })
	benchmarkAdd(b, "F32", f32, func(block []byte) { inBlocks(block, newSingles(num.For("F32")).add) })
	benchmarkAdd(b, "F32/zeros", make([]byte, benchmarked), func(block []byte) { inBlocks(block, newSingles(num.For("F32")).add) })
	sparse := bytes.Clone(f32)
	for i := 0; i < len(sparse); i += 32 {
		clear(sparse[i : i+4])
	}
	benchmarkAdd(b, "F32/sparse", sparse, func(block []byte) { inBlocks(block, newSingles(num.For("F32")).add) })
	benchmarkAdd(b, "F64", weights("F64", benchmarked), newDoubles(num.For("F64")).add)
	for _, dtype := range []safetensors.Dtype{"I32", "U32", "I64", "U64"} {
		benchmarkAdd(b, string(dtype), weights(dtype, benchmarked), newIntegers(num.For(string(dtype))).add)
	}
}

func inBlocks(b []byte, add func([]byte)) {
	for ; len(b) > 0; b = b[min(len(b), blockSize):] {
		add(b[:min(len(b), blockSize)])
	}
}

// naive is what one writes first: the sums are rounded, and a NaN spoils all.
func naive(b []byte) (mean, stdDev float64, lo, hi float32) {
	var sum, squares, n float64
	lo, hi = float32(math.Inf(1)), float32(math.Inf(-1))
	for ; len(b) >= 4; b = b[4:] {
		x := math.Float32frombits(binary.LittleEndian.Uint32(b))
		sum += float64(x)
		squares += float64(x) * float64(x)
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		n++
	}
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean), lo, hi
}

// Tensors of all sizes: norms and biases, adapters, experts, and matrices.
func BenchmarkSizes(b *testing.B) {
	for _, dtype := range []safetensors.Dtype{"BF16", "F16", "F8_E4M3", "F32", "I8", "F4", "F64", "I32"} {
		for _, size := range []int{48, 768, 3 << 10, 9 << 10, 48 << 10, 192 << 10, 768 << 10, 3 << 20} {
			t := tensorOf(dtype, weights(dtype, size))
			c := &Counter{Workers: 1}
			b.Run(fmt.Sprintf("%s/%d", dtype, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Of(t); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkHistogram(b *testing.B) {
	for _, size := range []int{3 << 10, 192 << 10, 24 << 20} {
		t := tensorOf("F32", weights("F32", size))
		c := &Counter{Workers: 1, Bins: 64}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := c.Of(t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
