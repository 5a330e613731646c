// Verdicts, values, histograms and quantiles, by hand.

package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

func TestFlags(t *testing.T) {
	f32 := func(xs ...float64) *safetensors.Tensor {
		return tensorOf(safetensors.F32, encodeFloats(safetensors.F32, xs))
	}
	// 0x7e is 448, the largest E4M3, and 0x38 is 1.
	e4m3 := func(largest, all int) *safetensors.Tensor {
		b := bytes.Repeat([]byte{0x38}, all)
		copy(b, bytes.Repeat([]byte{0x7e}, largest))
		return tensorOf(safetensors.F8_E4M3, b)
	}
	for _, test := range []struct {
		name   string
		tensor *safetensors.Tensor
		want   []Flag
	}{
		{"none", f32(1, 2), nil},
		{"empty", f32(), []Flag{Empty}},
		{"zeros", f32(0, math.Copysign(0, -1)), []Flag{AllZero}},
		{"a zero", f32(0), []Flag{AllZero}},
		{"constant", f32(2, 2, 2), []Flag{Constant}},
		{"one number is not constant", f32(2), nil},
		{"one number and a NaN", f32(2, 2, math.NaN()), []Flag{HasNaN}},
		{"all NaN", f32(math.NaN(), math.NaN()), []Flag{HasNaN}},
		{"infinities", f32(1, math.Inf(-1)), []Flag{HasInf}},
		{"both", f32(math.NaN(), math.Inf(1)), []Flag{HasNaN, HasInf}},
		{"the largest F32", f32(1, math.MaxFloat32), []Flag{Saturated}},
		{"all the largest F32", f32(math.MaxFloat32, math.MaxFloat32), []Flag{Constant, Saturated}},
		{"one E4M3 in a hundred", e4m3(1, 100), nil},
		{"two E4M3 in a hundred", e4m3(2, 100), []Flag{Saturated}},
		{"F4", tensorOf(safetensors.F4, []byte{0x77, 0x71}), nil},
		{"I8", tensorOf(safetensors.I8, []byte{127, 127, 1}), nil},
	} {
		s, err := Of(test.tensor)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Flags(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, test := range []struct {
		v          Value
		text, json string
		x          float64
	}{
		{Value{}, "NaN", "null", math.NaN()},
		{float(0), "0", "0", 0},
		{float(math.Copysign(0, -1)), "0", "0", 0},
		{float(-1.5), "-1.5", "-1.5", -1.5},
		{float(float64(float32(0.1))), "0.10000000149011612", "0.10000000149011612", float64(float32(0.1))},
		{float(1e20), "100000000000000000000", "100000000000000000000", 1e20},
		{float(1e21), "1e+21", "1e+21", 1e21},
		{float(1e-6), "0.000001", "0.000001", 1e-6},
		{float(1e-7), "1e-07", "1e-07", 1e-7},
		{Value{1 << 63, signed}, "-9223372036854775808", "-9223372036854775808", -0x1p63},
		{Value{math.MaxUint64, unsigned}, "18446744073709551615", "18446744073709551615", 0x1p64},
	} {
		if got := test.v.String(); got != test.text {
			t.Errorf("%v is printed as %s", test.text, got)
		}
		if got, err := json.Marshal(test.v); err != nil || string(got) != test.json {
			t.Errorf("%v is %s, %v as JSON, want %s", test.text, got, err, test.json)
		}
		if got := test.v.Float64(); got != test.x && !(got != got && test.x != test.x) {
			t.Errorf("%v is %v as a float64, want %v", test.text, got, test.x)
		}
	}
}

func TestHistogram(t *testing.T) {
	for _, test := range []struct {
		name  string
		bins  int
		xs    []float64
		edges string
		count []int64
	}{
		// An edge belongs to the part above it, but the last has none above.
		{"edges", 2, []float64{0, 1, 2, 3, 4}, "[0 2 4]", []int64{2, 3}},
		{"no numbers in between", 4, []float64{-1, 3}, "[-1 0 1 2 3]", []int64{1, 0, 0, 1}},
		{"others are left out", 1, []float64{1, 2, math.NaN(), math.Inf(1), math.Inf(-1)}, "[1 2]", []int64{2}},
		{"constant", 10, []float64{5, 5, 5}, "[5 5]", []int64{3}},
		{"only NaN", 10, []float64{math.NaN()}, "[]", nil},
		{"a difference beyond the largest", 2, []float64{-math.MaxFloat64, math.MaxFloat64, 1}, fmt.Sprint([]float64{-math.MaxFloat64, 0, math.MaxFloat64}), []int64{1, 2}},
		// Parts without width hold nothing but what lies on an edge.
		{"neighbours", 4, []float64{1, 1 + 0x1p-52}, "[1 1 1 1.0000000000000002 1.0000000000000002]", []int64{0, 0, 1, 1}},
	} {
		s, err := (&Counter{Bins: test.bins}).Of(tensorOf(safetensors.F64, encodeFloats(safetensors.F64, test.xs)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Histogram; fmt.Sprint(got.Edges) != test.edges || !slices.Equal(got.Counts, test.count) {
			t.Errorf("%s: %v, want %s %v", test.name, got, test.edges, test.count)
		}
	}
}

func TestExponents(t *testing.T) {
	for _, test := range []struct {
		xs   []float64
		want Exponents
	}{
		{[]float64{0, math.NaN(), math.Inf(1)}, Exponents{}},
		{[]float64{1, -1.5, 2, 0.25, 0}, Exponents{-2, []int64{1, 0, 2, 1}}}, // 1/4; 1 and 3/2; 2
		{[]float64{math.SmallestNonzeroFloat64, 0x1p-1072}, Exponents{-1074, []int64{1, 0, 1}}},
		{[]float64{math.MaxFloat64}, Exponents{1023, []int64{1}}},
	} {
		s, err := Of(tensorOf(safetensors.F64, encodeFloats(safetensors.F64, test.xs)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Exponents; got.First != test.want.First || !slices.Equal(got.Counts, test.want.Counts) {
			t.Errorf("%v: %v, want %v", test.xs, got, test.want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	// In order: -3 1 1 1 4 5 5 9.
	tensor := tensorOf(safetensors.I8, []byte{1, 5, 0xfd, 9, 1, 4, 1, 5})
	s, err := (&Counter{Quantiles: []float64{0, 0.125, 0.126, 0.5, 0.51, 0.75, 1}}).Of(tensor)
	if err != nil {
		t.Fatal(err)
	}
	// Places 1, 1, 2, 4, 5, 6 and 8.
	if got, want := fmt.Sprint(s.Quantiles), "[-3 -3 1 1 4 5 9]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s, err = (&Counter{Quantiles: []float64{0.5}}).Of(tensorOf(safetensors.F32, encodeFloats(safetensors.F32, []float64{1})))
	if err != nil || s.Quantiles != nil {
		t.Errorf("F32 has quantiles %v, %v", s.Quantiles, err)
	}
}
