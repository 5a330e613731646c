// Every pattern of every narrow dtype once, counted by hand.

package stats

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// everyPattern returns a tensor that has each pattern of the dtype once.
func everyPattern(dtype safetensors.Dtype) *safetensors.Tensor {
	n, width := 1<<dtype.Bits(), dtype.Bits()
	b := make([]byte, n*width/8)
	for p := range n {
		if width == 16 {
			binary.LittleEndian.PutUint16(b[2*p:], uint16(p))
		} else {
			num.Pack(b, p, []byte{byte(p)}, width)
		}
	}
	return tensorOf(dtype, b)
}

// With m bits of mantissa, a float with an IEEE 754 layout has, of each sign, 1
// zero and 2^m - 1 subnormal numbers under the lowest exponent, and 1 infinity
// and 2^m - 1 NaNs under the highest. Others differ as is said beside them.
func TestEveryPattern(t *testing.T) {
	for _, want := range []struct {
		dtype                            safetensors.Dtype
		nan, inf, zero, subnormal, atMax int64
		min, max                         string
		mean                             float64
	}{
		{safetensors.BOOL, 0, 0, 1, 0, 0, "0", "1", 255.0 / 256}, // all but 0 are 1
		{safetensors.U8, 0, 0, 1, 0, 0, "0", "255", 127.5},
		{safetensors.I8, 0, 0, 1, 0, 0, "-128", "127", -0.5},
		{safetensors.U16, 0, 0, 1, 0, 0, "0", "65535", 32767.5},
		{safetensors.I16, 0, 0, 1, 0, 0, "-32768", "32767", -0.5},
		{safetensors.F4, 0, 0, 2, 2, 2, "-6", "6", 0},                  // m = 1, all finite
		{safetensors.F6_E2M3, 0, 0, 2, 14, 2, "-7.5", "7.5", 0},        // m = 3, all finite
		{safetensors.F6_E3M2, 0, 0, 2, 6, 2, "-28", "28", 0},           // m = 2, all finite
		{safetensors.F8_E5M2, 6, 2, 2, 6, 2, "-57344", "57344", 0},     // m = 2, IEEE 754
		{safetensors.F8_E4M3, 2, 0, 2, 14, 2, "-448", "448", 0},        // m = 3, the last is NaN, the rest finite
		{safetensors.F8_E4M3FNUZ, 1, 0, 1, 14, 2, "-240", "240", 0},    // m = 3, -0 is NaN, the rest finite
		{safetensors.F8_E5M2FNUZ, 1, 0, 1, 6, 2, "-57344", "57344", 0}, // m = 2, likewise
		// Powers of two from 2^-127 to 2^127, and a NaN. Their sum is 2^128 - 2^-127.
		{safetensors.F8_E8M0, 1, 0, 0, 0, 1, "5.877471754111438e-39", "1.7014118346046923e+38", 0x1p128 / 255},
		{safetensors.F16, 2046, 2, 2, 2046, 2, "-65504", "65504", 0}, // m = 10, IEEE 754
		// m = 7, IEEE 754; the largest is (2 - 2^-7) * 2^127
		{safetensors.BF16, 254, 2, 2, 254, 2, "-3.3895313892515355e+38", "3.3895313892515355e+38", 0},
	} {
		s, err := Of(everyPattern(want.dtype))
		if err != nil {
			t.Fatal(err)
		}
		got := []int64{s.Count, s.NaN, s.PosInf + s.NegInf, s.Zero, s.Subnormal, s.AtMax}
		counts := []int64{1 << want.dtype.Bits(), want.nan, want.inf, want.zero, want.subnormal, want.atMax}
		if !slices.Equal(got, counts) || s.PosInf != s.NegInf {
			t.Errorf("%s: all, NaN, Inf, zero, subnormal, at max are %v, want %v", want.dtype, got, counts)
		}
		if s.Min.String() != want.min || s.Max.String() != want.max || s.Mean != want.mean {
			t.Errorf("%s: from %v to %v, mean %v, want from %s to %s, %v", want.dtype, s.Min, s.Max, s.Mean, want.min, want.max, want.mean)
		}
		var placed int64
		for _, n := range s.Exponents.Counts {
			placed += n
		}
		if placed != s.Finite()-s.Zero {
			t.Errorf("%s: %d numbers have an exponent, of %d", want.dtype, placed, s.Finite()-s.Zero)
		}
	}
}
