// Exact sums by vector instructions, against loops and fractions.
//
// Those of another processor: GOARCH=arm64 CGO_ENABLED=0 go test -exec qemu-aarch64 ./stats

package stats

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// chunksOf returns chunks of F32s that are summed by vectors, nearly, or not at all.
func chunksOf() map[string][]float64 {
	r := rand.New(rand.NewPCG(7, 8))
	const n = vectorChunk / 4
	chunks := map[string][]float64{
		"normal":       repeat(n, func(int) float64 { return r.NormFloat64() * 0.02 }),
		"positive":     repeat(n, func(int) float64 { return 1 + r.Float64() }),
		"negative":     repeat(n, func(int) float64 { return -1 - r.Float64() }),
		"zeros":        make([]float64, n),
		"minus zeros":  repeat(n, func(int) float64 { return math.Copysign(0, -1) }),
		"some zeros":   repeat(n, func(i int) float64 { return float64(i%3) * r.NormFloat64() }),
		"not negative": repeat(n, func(i int) float64 { return float64(i % 2) }),
		"not positive": repeat(n, func(i int) float64 { return -float64(i % 2) }),
		"one":          repeat(n, func(int) float64 { return 1 }),
		"infinite":     repeat(n, func(i int) float64 { return 1 / float64(i%100) }),
		"subnormal":    repeat(n, func(i int) float64 { return float64(i) * math.SmallestNonzeroFloat32 }),
		"largest":      repeat(n, func(i int) float64 { return math.MaxFloat32 * float64(1-2*(i%2)) }),
		"nan":          repeat(n, func(i int) float64 { return 0 / float64(i) }),
	}
	for _, e := range []int{-126, leastExponent - 1, leastExponent, -1, mostExponent - widestRange, mostExponent, 127} {
		for _, width := range []int{0, widestRange, widestRange + 1, 40} {
			// The largest fractions and the widest range: sums and squares have as many bits as they can.
			chunks[fmt.Sprintf("2^%d and %d", e, width)] = repeat(n, func(i int) float64 {
				x := math.Ldexp(2-0x1p-23, e)
				if i%2 == 1 || r.IntN(4) == 0 {
					x = math.Ldexp(1+0x1p-23, max(e-width, -126))
				}
				return x * float64(1-2*(i/64%2))
			})
		}
	}
	return chunks
}

// TestVectors compares summaries of chunks with exact ones, and sums by vectors with those number by number.
func TestVectors(t *testing.T) {
	for name, xs := range chunksOf() {
		b := encodeFloats(safetensors.F32, xs)
		compareVectors(t, name, b)
		finite := true
		for i := range xs {
			xs[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
			finite = finite && xs[i]-xs[i] == 0
		}
		if finite {
			mean, dev := exactly(rats(xs))
			t.Run(name, func(t *testing.T) { checkMoments(t, tensorOf(safetensors.F32, b), mean, dev) })
		}
	}
}

// compareVectors checks that a chunk has the same summary if it is not summed by vectors.
func compareVectors(t *testing.T, name string, chunk []byte) {
	t.Helper()
	fast, slow := newSingles(num.For("F32")), newSingles(num.For("F32"))
	if lo, hi, zeros, ok := fast.fast.add(chunk); ok {
		fast.ordinary(float64(lo), float64(hi), zeros)
	} else {
		fast.addChunk(chunk)
	}
	slow.addChunk(chunk)
	fast.flush()
	slow.flush()
	top, bottom, least, zeros := extremesOf(chunk)
	if a, b, c, d := slowExtremes(chunk); a != top || b != bottom || c != least || d != zeros {
		t.Errorf("%s: %#x %#x %#x %d, want %#x %#x %#x %d", name, top, bottom, least, zeros, a, b, c, d)
	}
	got, want := new(Summary), new(Summary)
	got.Count, want.Count = int64(len(chunk)/4), int64(len(chunk)/4)
	fast.report(got)
	slow.report(want)
	if a, b := noNaN(got), noNaN(want); !reflect.DeepEqual(a, b) {
		t.Errorf("%s: by vectors %+v, want %+v", name, a, b)
	}
}

// TestSums compares sums that are exact with those of a loop.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	chunk := encodeFloats(safetensors.F32, repeat(vectorChunk/4, func(int) float64 { return 1 + r.Float64() }))
	split := math.Ldexp(1.5, -40+52)
	var got, want [3]float64
	got[0], got[1], got[2] = sumsOf(chunk, split)
	want[0], want[1], want[2] = slowSums(chunk, split)
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzVectors fills a chunk with the patterns of data.
func FuzzVectors(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x3f\xcd\xcc\xcc\x3d\x00\x00\x00\xbf"))
	f.Add([]byte("\x00\x00\x00\x80\x00\x00\x00\x00"))
	f.Add([]byte("\x01\x00\x80\x3f\xff\xff\xff\x48"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		chunk := make([]byte, vectorChunk)
		for i := 0; i < len(chunk); i += 4 {
			copy(chunk[i:i+4], data[i%(len(data)/4*4):])
		}
		compareVectors(t, "chunk", chunk)
	})
}

// TestVectorsOfTensor has chunks of all kinds in one tensor.
func TestVectorsOfTensor(t *testing.T) {
	var b []byte
	var xs []float64
	for _, chunk := range chunksOf() {
		one := encodeFloats(safetensors.F32, chunk)
		for i := 0; i < len(one); i += 4 {
			if x := float64(math.Float32frombits(binary.LittleEndian.Uint32(one[i:]))); x-x == 0 {
				xs = append(xs, x)
			}
		}
		b = append(b, one...)
	}
	mean, dev := exactly(rats(xs))
	checkMoments(t, tensorOf(safetensors.F32, b), mean, dev)
}
