// Statistics of arbitrary bytes, against loops over the numbers.

package stats

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// fuzzedDtypes are the dtypes whose numbers fuzzedNumbers knows.
var fuzzedDtypes = []safetensors.Dtype{safetensors.F64, safetensors.F32, safetensors.BF16, safetensors.F16, safetensors.F8_E5M2,
	safetensors.I8, safetensors.U16, safetensors.I32, safetensors.U64, safetensors.I64}

// fuzzedNumbers returns the numbers of a tensor, by package math and by hand.
func fuzzedNumbers(d safetensors.Dtype, data []byte) (xs []float64, exact []*big.Rat) {
	width := d.Bits() / 8
	for b := range slices.Chunk(data, width) {
		var pattern [8]byte
		copy(pattern[:], b)
		u := binary.LittleEndian.Uint64(pattern[:])
		x := 0.0
		switch d {
		case safetensors.F64:
			x = math.Float64frombits(u)
		case safetensors.F32:
			x = float64(math.Float32frombits(uint32(u)))
		case safetensors.BF16:
			x = float64(math.Float32frombits(uint32(u) << 16))
		case safetensors.F16:
			x = small(u, 5, 10)
		case safetensors.F8_E5M2:
			x = small(u, 5, 2)
		case safetensors.U16, safetensors.U64:
			xs, exact = append(xs, float64(u)), append(exact, new(big.Rat).SetUint64(u))
			continue
		default:
			i := int64(u<<(64-8*width)) >> (64 - 8*width)
			xs, exact = append(xs, float64(i)), append(exact, new(big.Rat).SetInt64(i))
			continue
		}
		if xs = append(xs, x); !math.IsNaN(x) && !math.IsInf(x, 0) {
			exact = append(exact, new(big.Rat).SetFloat64(x))
		}
	}
	return xs, exact
}

// small returns the value of an IEEE float with few bits.
func small(u uint64, exponentBits, mantissaBits uint) float64 {
	exponent, mantissa := int(u>>mantissaBits&(1<<exponentBits-1)), float64(u&(1<<mantissaBits-1))
	bias, x := 1<<(exponentBits-1)-1, 0.0
	switch {
	case exponent == 1<<exponentBits-1 && mantissa != 0:
		return math.NaN()
	case exponent == 1<<exponentBits-1:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(mantissa, 1-bias-int(mantissaBits))
	default:
		x = math.Ldexp(1+math.Ldexp(mantissa, -int(mantissaBits)), exponent-bias)
	}
	if u>>(exponentBits+mantissaBits) == 1 {
		x = -x
	}
	return x
}

// FuzzOf compares counts, range, mean, deviation and histograms with those of loops over the numbers.
func FuzzOf(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf0\x7f\x01\x00\x00\x00\x00\x00\x00\x00"), uint8(0), uint8(10))
	f.Add([]byte("\xff\xff\x7f\x7f\xff\xff\x7f\xff\x00\x00\xc0\x7f\x01\x00\x00\x00"), uint8(1), uint8(3))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x80"), uint8(9), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, kind, bins uint8) {
		d := fuzzedDtypes[int(kind)%len(fuzzedDtypes)]
		data = data[:min(len(data), 512)/(d.Bits()/8)*(d.Bits()/8)]
		c := &Counter{Bins: int(bins), Quantiles: []float64{0, 0.5, 1}, Workers: 1}
		s, err := c.Of(tensorOf(d, data))
		if err != nil {
			t.Fatal(err)
		}
		xs, exact := fuzzedNumbers(d, data)
		checkFuzzedCounts(t, s, xs)
		checkFuzzedHistogram(t, s, int(bins))
		if len(exact) > 0 {
			if mean, dev := exactly(exact); s.Mean != mean || s.StdDev != dev {
				t.Errorf("mean %v and deviation %v, want %v and %v", s.Mean, s.StdDev, mean, dev)
			}
		}
		// The order of the numbers, and how many workers count them, does not matter.
		turned := slices.Concat(data[len(data)/2/8*8:], data[:len(data)/2/8*8])
		c.Workers = 3
		if other, err := c.Of(tensorOf(d, turned)); err != nil || !reflect.DeepEqual(noNaN(s), noNaN(other)) {
			t.Errorf("%+v, %v in another order, and was %+v", other, err, s)
		}
	})
}

// noNaN returns a summary that can be compared.
func noNaN(s *Summary) Summary {
	c := *s
	if c.Finite() == 0 {
		c.Mean, c.StdDev = 0, 0
	}
	return c
}

// checkFuzzedCounts compares counts and range.
func checkFuzzedCounts(t *testing.T, s *Summary, xs []float64) {
	t.Helper()
	var nan, inf, zero int64
	least, largest := math.Inf(1), math.Inf(-1)
	for _, x := range xs {
		switch {
		case math.IsNaN(x):
			nan++
			continue
		case math.IsInf(x, 0):
			inf++
			continue
		case x == 0:
			zero++
		}
		least, largest = min(least, x), max(largest, x)
	}
	if s.Count != int64(len(xs)) || s.NaN != nan || s.PosInf+s.NegInf != inf || s.Zero != zero {
		t.Errorf("%+v, want %d numbers, %d NaN, %d infinite, %d zero", s, len(xs), nan, inf, zero)
	}
	if s.Finite() > 0 && (s.Min.Float64() != least || s.Max.Float64() != largest) {
		t.Errorf("from %v to %v, want %v to %v", s.Min, s.Max, least, largest)
	}
	var sum int64
	for _, n := range s.Exponents.Counts {
		sum += n
	}
	if sum != s.Finite()-s.Zero {
		t.Errorf("%d numbers by exponent, of %d", sum, s.Finite()-s.Zero)
	}
}

// checkFuzzedHistogram checks that a histogram has all numbers, between ascending edges.
func checkFuzzedHistogram(t *testing.T, s *Summary, bins int) {
	t.Helper()
	h := s.Histogram
	if bins == 0 || s.Finite() == 0 {
		return
	}
	var sum int64
	for _, n := range h.Counts {
		sum += n
	}
	if sum != s.Finite() || len(h.Edges) != len(h.Counts)+1 || len(h.Counts) > bins || !slices.IsSorted(h.Edges) ||
		h.Edges[0] != s.Min.Float64() || h.Edges[len(h.Edges)-1] != s.Max.Float64() {
		t.Errorf("%+v of %d numbers from %v to %v", h, s.Finite(), s.Min, s.Max)
	}
	if q := s.Quantiles; q != nil && (q[0] != s.Min || q[2] != s.Max) {
		t.Errorf("quantiles %v from %v to %v", q, s.Min, s.Max)
	}
}
