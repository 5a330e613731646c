// Values: distances by hand.

package diff

import (
	"bytes"
	"math"
	"testing"

	"github.com/weightools/safetensors"
)

// packed returns a tensor of any dtype, by its bytes.
func packed(name string, dtype safetensors.Dtype, n int64, data ...byte) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: []int64{n}, Offsets: safetensors.Span{End: int64(len(data))}},
		ReaderAt:   bytes.NewReader(data),
	}
}

func TestValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tt := range []struct {
		what     string
		d        Differ
		a, b     *safetensors.Tensor
		want     Values
		within   bool
		sameness bool // that nothing is told at all
	}{
		{"by a half of 2 and a quarter of 8", Differ{}, tensor(t, "x", []float32{1, 2, 8}, 3), tensor(t, "x", []float32{1, 2.5, 7.75}, 3),
			Values{3, 2, 2, 0, 0.5, 0.25, 1}, false, false},
		{"of which 0.25+0.03125*8 is allowed", Differ{Absolute: 0.25, Relative: 0.03125}, tensor(t, "x", []float32{1, 2, 8}, 3), tensor(t, "x", []float32{1, 2.5, 7.5}, 3),
			Values{3, 2, 1, 0, 0.5, 0.25, 1}, false, false},
		{"within", Differ{Absolute: 0.5}, tensor(t, "x", []float32{1, 2, 8}, 3), tensor(t, "x", []float32{1, 2.5, 7.75}, 3),
			Values{3, 2, 0, 0, 0.5, 0.25, 1}, true, false},
		{"a zero has no relative distance", Differ{}, tensor(t, "x", []float32{0}, 1), tensor(t, "x", []float32{3}, 1),
			Values{1, 1, 1, 0, 3, 0, 0}, false, false},
		{"zeros of both signs are equal", Differ{}, tensor(t, "x", []float32{0}, 1), tensor(t, "x", []float32{float32(math.Copysign(0, -1))}, 1),
			Values{1, 0, 0, 0, 0, 0, -1}, true, false},
		{"NaN and infinities", Differ{Absolute: 1e9}, tensor(t, "x", []float32{nan, nan, 1, inf, inf, inf}, 6), tensor(t, "x", []float32{-nan, 1, nan, inf, -inf, 1}, 6),
			Values{6, 4, 4, 4, 0, 0, -1}, false, false},
		{"integers that no float64 is", Differ{}, tensor(t, "x", []int64{1 << 53, math.MinInt64}, 2), tensor(t, "x", []int64{1<<53 + 1, math.MaxInt64}, 2),
			Values{2, 2, 2, 0, 1 << 64, 2, 1}, false, false},
		{"unsigned ones", Differ{Absolute: 2}, tensor(t, "x", []uint64{math.MaxUint64}, 1), tensor(t, "x", []uint64{math.MaxUint64 - 2}, 1),
			Values{1, 1, 0, 0, 2, 2 / float64(1<<64), 0}, true, false},
		{"parts of complex numbers", Differ{}, tensor(t, "x", []complex64{1 + 2i, 3}, 2), tensor(t, "x", []complex64{1 + 2i, 3 + 4i}, 2),
			Values{4, 1, 1, 0, 4, 0, 3}, false, false},
		{"nothing", Differ{}, tensor(t, "x", []float32{1}, 1), tensor(t, "x", []float32{1}, 1), Values{}, false, true},
		// 1.5 as F16 is 0x3e00, and as BF16 0x3fc0; F4_E2M1 has 0.5 and 6 as 1 and 7.
		{"another dtype", Differ{}, packed("x", safetensors.F16, 1, 0x00, 0x3e), packed("x", safetensors.BF16, 1, 0xc0, 0x3f), Values{1, 0, 0, 0, 0, 0, -1}, true, false},
		// The float64 next to 2^53+1 is 2^53, and those next to MaxInt64 and MaxUint64 are one more.
		{"an integer and the float64 next to it", Differ{}, tensor(t, "x", []int64{1<<53 + 1, math.MinInt64, -1<<53 - 1}, 3), tensor(t, "x", []float64{1 << 53, -1 << 63, -1<<53 - 2}, 3),
			Values{3, 2, 2, 0, 1, 0x1p-53, 0}, false, false},
		{"the largest integers and the float64s next to them", Differ{}, tensor(t, "x", []float64{1 << 63, 5}, 2), tensor(t, "x", []int64{math.MaxInt64, 5}, 2),
			Values{2, 1, 1, 0, 1, 0x1p-63, 0}, false, false},
		{"unsigned ones, too", Differ{Absolute: 1}, tensor(t, "x", []uint64{math.MaxUint64, 1 << 63}, 2), tensor(t, "x", []float32{1 << 64, 1 << 63}, 2),
			Values{2, 1, 0, 0, 1, 0x1p-64, 0}, true, false},
		{"signed and unsigned", Differ{}, tensor(t, "x", []int64{math.MaxInt64, 1<<62 + 1}, 2), tensor(t, "x", []uint64{1 << 63, 1<<62 + 1}, 2),
			Values{2, 1, 1, 0, 1, 0x1p-63, 0}, false, false},
		{"four bits", Differ{}, packed("x", "F4", 2, 0x71), packed("x", "F4", 2, 0x11), Values{2, 1, 1, 0, 5.5, 5.5 / 6, 1}, false, false},
		{"four bits and sixteen", Differ{}, packed("x", "F4", 2, 0x11), packed("x", safetensors.BF16, 2, 0x00, 0x3f, 0x00, 0x3f), Values{2, 0, 0, 0, 0, 0, -1}, true, false},
	} {
		d := tt.d
		d.Values = true
		var got []*Change
		for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tt.a}, []*safetensors.Tensor{tt.b}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c)
		}
		switch {
		case tt.sameness:
			if len(got) > 0 {
				t.Errorf("%s: %+v", tt.what, got[0])
			}
		case len(got) != 1 || *got[0].Values != tt.want || got[0].Within() != tt.within:
			t.Errorf("%s: %+v, within %v, want %+v", tt.what, got[0].Values, got[0].Within(), tt.want)
		}
	}
}

// A complex number has no value that is a real one.
func TestComplexAndReal(t *testing.T) {
	d := Differ{Values: true}
	for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tensor(t, "x", []complex64{1}, 1)}, []*safetensors.Tensor{tensor(t, "x", []float32{1}, 1)}) {
		if err != nil || c.Kind != Retyped || c.Values != nil || c.Within() {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

// Tensors are read in parts: a difference is found in each, and at the right index.
func TestValuesAcrossParts(t *testing.T) {
	const n = 3*numbersAtOnce + 5
	a := make([]float32, n)
	for _, at := range []int{0, numbersAtOnce - 1, numbersAtOnce, 2*numbersAtOnce + 1, n - 1} {
		b := make([]float32, n)
		b[at] = 1
		d := Differ{Values: true}
		for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tensor(t, "x", a, n)}, []*safetensors.Tensor{tensor(t, "x", b, n)}) {
			if err != nil || c.Values.At != int64(at) || c.Values.Differ != 1 || c.Values.Count != n {
				t.Errorf("at %d: %+v, %v", at, c.Values, err)
			}
		}
	}
}
