// Mean and standard deviation of numbers that are hard to add.

package stats

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors"
)

// exactly returns the mean and the standard deviation of xs, by fractions, and a
// root of 6,000 bits. The square of any float64 sum takes fewer than 4,400.
func exactly(xs []*big.Rat) (mean, stdDev float64) {
	n := new(big.Rat).SetInt64(int64(len(xs)))
	sum, squares := new(big.Rat), new(big.Rat)
	for _, x := range xs {
		sum.Add(sum, x)
		squares.Add(squares, new(big.Rat).Mul(x, x))
	}
	sum.Quo(sum, n)
	squares.Quo(squares, n)
	mean, _ = sum.Float64()
	variance := new(big.Float).SetPrec(6000).SetRat(squares.Sub(squares, sum.Mul(sum, sum)))
	stdDev, _ = new(big.Float).Sqrt(variance).Float64()
	return mean, stdDev
}

func rats(xs []float64) []*big.Rat {
	all := make([]*big.Rat, len(xs))
	for i, x := range xs {
		all[i] = new(big.Rat).SetFloat64(x)
	}
	return all
}

// repeat returns n numbers, f of each index.
func repeat(n int, f func(i int) float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = f(i)
	}
	return xs
}

// hardFloats are numbers, all of them F32s, on which sums in float64 go wrong.
var hardFloats = []struct {
	name string
	xs   []float64
}{
	{"one", []float64{0.5}},
	{"small spread about a large mean", repeat(1000, func(i int) float64 { return 0x1p24 - float64(i%2) })},
	{"alternating signs", repeat(1001, func(i int) float64 { return float64(1-2*(i%2)) * 0x1p100 })},
	{"large ones cancel, a small one stays", []float64{0x1p127, 1, -0x1p127}},
	{"largest", repeat(100, func(int) float64 { return math.MaxFloat32 })},
	{"largest of both signs", repeat(100, func(i int) float64 { return float64(1-2*(i%2)) * math.MaxFloat32 })},
	{"subnormal", repeat(99, func(i int) float64 { return float64(i-40) * math.SmallestNonzeroFloat32 })},
	{"from least to largest", []float64{math.SmallestNonzeroFloat32, -math.MaxFloat32, 0, 1, 0x1p-126, 0x1p-127}},
	{"thirds", []float64{1, 1, 2}},
}

func TestHardFloats(t *testing.T) {
	for _, test := range hardFloats {
		t.Run(test.name, func(t *testing.T) {
			wantMean, wantStdDev := exactly(rats(test.xs))
			for _, dtype := range []safetensors.Dtype{safetensors.F32, safetensors.F64} {
				checkMoments(t, tensorOf(dtype, encodeFloats(dtype, test.xs)), wantMean, wantStdDev)
			}
			pairs := encodeFloats(safetensors.F32, append(test.xs, test.xs...)) // whole pairs
			checkMoments(t, tensorOf(safetensors.C64, pairs), wantMean, wantStdDev)
		})
	}
}

func encodeFloats(dtype safetensors.Dtype, xs []float64) []byte {
	var b []byte
	for _, x := range xs {
		if dtype == safetensors.F64 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		} else {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	}
	return b
}

func checkMoments(t *testing.T, tensor *safetensors.Tensor, mean, stdDev float64) {
	t.Helper()
	s, err := Of(tensor)
	if err != nil {
		t.Fatal(err)
	}
	if s.Mean != mean || s.StdDev != stdDev {
		t.Errorf("%s: mean %v and deviation %v, want %v and %v", tensor.Dtype, s.Mean, s.StdDev, mean, stdDev)
	}
}

// The results are worked out by hand, beside each.
func TestHardDoubles(t *testing.T) {
	const tiny, ulp = math.SmallestNonzeroFloat64, 0x1p-52
	for _, test := range []struct {
		name         string
		xs           []float64
		mean, stdDev float64
	}{
		{"a sum beyond the largest", repeat(3, func(int) float64 { return math.MaxFloat64 }), math.MaxFloat64, 0},
		{"a difference beyond the largest", []float64{math.MaxFloat64, -math.MaxFloat64}, 0, math.MaxFloat64},
		// 1e300 and -1e300 are gone, and 3 is left among 3.
		{"all but a small one cancel", []float64{1e300, 3, -1e300}, 1, 1e300 * math.Sqrt(2.0/3)},
		// Half of the least number is a tie, and 0 is even; 3 halves tie to 2.
		{"ties below the least", []float64{0, tiny}, 0, 0},
		{"ties above the least", []float64{tiny, 2 * tiny}, 2 * tiny, 0},
		// 1 + ulp/2 is a tie too, and 1 is even; the deviation is ulp/2 exactly.
		{"ties of normal numbers", []float64{1, 1 + ulp}, 1, ulp / 2},
		// The mean is 1e15 + 0.125, and the deviation the eighth on either side.
		{"small spread about a large mean", []float64{1e15, 1e15 + 0.25}, 1e15 + 0.125, 0.125},
	} {
		t.Run(test.name, func(t *testing.T) {
			mean, stdDev := exactly(rats(test.xs))
			if mean != test.mean || math.Abs(stdDev-test.stdDev) > 1e-15*stdDev {
				t.Errorf("by fractions %v and %v, by hand %v and %v", mean, stdDev, test.mean, test.stdDev)
			}
			checkMoments(t, tensorOf(safetensors.F64, encodeFloats(safetensors.F64, test.xs)), mean, stdDev)
		})
	}
}

// Any patterns, but for NaNs and infinities: every exponent occurs.
func TestRandomFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		xs := repeat(1+r.IntN(300), func(int) float64 {
			if x := math.Float64frombits(r.Uint64()); !math.IsNaN(x) && !math.IsInf(x, 0) {
				return x
			}
			return 0
		})
		mean, stdDev := exactly(rats(xs))
		checkMoments(t, tensorOf(safetensors.F64, encodeFloats(safetensors.F64, xs)), mean, stdDev)

		for i, x := range xs {
			xs[i] = float64(math.Float32frombits(uint32(math.Float64bits(x)>>32) & 0xbfffffff)) // below 2
		}
		mean, stdDev = exactly(rats(xs))
		checkMoments(t, tensorOf(safetensors.F32, encodeFloats(safetensors.F32, xs)), mean, stdDev)
	}
}

func TestHardIntegers(t *testing.T) {
	for _, test := range []struct {
		dtype    safetensors.Dtype
		xs       []uint64 // in two's complement
		min, max string
	}{
		{safetensors.I64, []uint64{1 << 63, 1<<63 - 1}, "-9223372036854775808", "9223372036854775807"},
		{safetensors.I64, []uint64{1<<53 + 1, 1<<53 + 2, 1<<53 + 4}, "9007199254740993", "9007199254740996"},
		{safetensors.I64, []uint64{math.MaxUint64, math.MaxUint64 - 4}, "-5", "-1"},
		{safetensors.U64, []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64 - 2}, "18446744073709551613", "18446744073709551615"},
		{safetensors.U64, []uint64{7}, "7", "7"},
		{safetensors.I32, []uint64{1 << 31, 1<<31 - 1, 5, math.MaxUint32}, "-2147483648", "2147483647"},
		{safetensors.U32, []uint64{math.MaxUint32, 0}, "0", "4294967295"},
	} {
		var data []byte
		var xs []*big.Rat
		for _, x := range test.xs {
			exact := new(big.Int).SetUint64(x)
			bits := test.dtype.Bits()
			if signed := test.dtype[0] == 'I'; signed && x>>(bits-1) != 0 {
				exact.Sub(exact, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
			}
			xs = append(xs, new(big.Rat).SetInt(exact))
			data = append(data, binary.LittleEndian.AppendUint64(nil, x)[:bits/8]...)
		}
		mean, stdDev := exactly(xs)
		tensor := tensorOf(test.dtype, data)
		checkMoments(t, tensor, mean, stdDev)
		if s, err := Of(tensor); err != nil || s.Min.String() != test.min || s.Max.String() != test.max {
			t.Errorf("%s %v: from %v to %v, want from %s to %s", test.dtype, test.xs, s.Min, s.Max, test.min, test.max)
		}
	}
}
