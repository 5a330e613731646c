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

// counted returns v without what TestSums and TestLargeIntegers have.
func counted(v Values) Values {
	v.Sums, v.MaxInteger = Sums{}, 0
	return v
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
			Values{Count: 3, Differ: 2, Beyond: 2, Odd: 0, MaxDelta: 0.5, MaxRelative: 0.25, At: 1}, false, false},
		{"of which 0.25+0.03125*8 is allowed", Differ{Absolute: 0.25, Relative: 0.03125}, tensor(t, "x", []float32{1, 2, 8}, 3), tensor(t, "x", []float32{1, 2.5, 7.5}, 3),
			Values{Count: 3, Differ: 2, Beyond: 1, Odd: 0, MaxDelta: 0.5, MaxRelative: 0.25, At: 1}, false, false},
		{"within", Differ{Absolute: 0.5}, tensor(t, "x", []float32{1, 2, 8}, 3), tensor(t, "x", []float32{1, 2.5, 7.75}, 3),
			Values{Count: 3, Differ: 2, Beyond: 0, Odd: 0, MaxDelta: 0.5, MaxRelative: 0.25, At: 1}, true, false},
		{"a zero has no relative distance", Differ{}, tensor(t, "x", []float32{0}, 1), tensor(t, "x", []float32{3}, 1),
			Values{Count: 1, Differ: 1, Beyond: 1, Odd: 0, MaxDelta: 3, MaxRelative: 0, At: 0}, false, false},
		{"zeros of both signs are equal", Differ{}, tensor(t, "x", []float32{0}, 1), tensor(t, "x", []float32{float32(math.Copysign(0, -1))}, 1),
			Values{Count: 1, Differ: 0, Beyond: 0, Odd: 0, MaxDelta: 0, MaxRelative: 0, At: -1}, true, false},
		{"NaN and infinities", Differ{Absolute: 1e9}, tensor(t, "x", []float32{nan, nan, 1, inf, inf, inf}, 6), tensor(t, "x", []float32{-nan, 1, nan, inf, -inf, 1}, 6),
			Values{Count: 6, Differ: 4, Beyond: 4, Odd: 4, MaxDelta: 0, MaxRelative: 0, At: -1}, false, false},
		{"integers that no float64 is", Differ{}, tensor(t, "x", []int64{1 << 53, math.MinInt64}, 2), tensor(t, "x", []int64{1<<53 + 1, math.MaxInt64}, 2),
			Values{Count: 2, Differ: 2, Beyond: 2, Odd: 0, MaxDelta: 1 << 64, MaxRelative: 2, At: 1}, false, false},
		{"unsigned ones", Differ{Absolute: 2}, tensor(t, "x", []uint64{math.MaxUint64}, 1), tensor(t, "x", []uint64{math.MaxUint64 - 2}, 1),
			Values{Count: 1, Differ: 1, Beyond: 0, Odd: 0, MaxDelta: 2, MaxRelative: 2 / float64(1<<64), At: 0}, true, false},
		{"parts of complex numbers", Differ{}, tensor(t, "x", []complex64{1 + 2i, 3}, 2), tensor(t, "x", []complex64{1 + 2i, 3 + 4i}, 2),
			Values{Count: 4, Differ: 1, Beyond: 1, Odd: 0, MaxDelta: 4, MaxRelative: 0, At: 3}, false, false},
		{"nothing", Differ{}, tensor(t, "x", []float32{1}, 1), tensor(t, "x", []float32{1}, 1), Values{}, false, true},
		// 1.5 as F16 is 0x3e00, and as BF16 0x3fc0; F4_E2M1 has 0.5 and 6 as 1 and 7.
		{"another dtype", Differ{}, packed("x", safetensors.F16, 1, 0x00, 0x3e), packed("x", safetensors.BF16, 1, 0xc0, 0x3f), Values{Count: 1, Differ: 0, Beyond: 0, Odd: 0, MaxDelta: 0, MaxRelative: 0, At: -1}, true, false},
		// The float64 next to 2^53+1 is 2^53, and those next to MaxInt64 and MaxUint64 are one more.
		{"an integer and the float64 next to it", Differ{}, tensor(t, "x", []int64{1<<53 + 1, math.MinInt64, -1<<53 - 1}, 3), tensor(t, "x", []float64{1 << 53, -1 << 63, -1<<53 - 2}, 3),
			Values{Count: 3, Differ: 2, Beyond: 2, Odd: 0, MaxDelta: 1, MaxRelative: 0x1p-53, At: 0}, false, false},
		{"the largest integers and the float64s next to them", Differ{}, tensor(t, "x", []float64{1 << 63, 5}, 2), tensor(t, "x", []int64{math.MaxInt64, 5}, 2),
			Values{Count: 2, Differ: 1, Beyond: 1, Odd: 0, MaxDelta: 1, MaxRelative: 0x1p-63, At: 0}, false, false},
		{"unsigned ones, too", Differ{Absolute: 1}, tensor(t, "x", []uint64{math.MaxUint64, 1 << 63}, 2), tensor(t, "x", []float32{1 << 64, 1 << 63}, 2),
			Values{Count: 2, Differ: 1, Beyond: 0, Odd: 0, MaxDelta: 1, MaxRelative: 0x1p-64, At: 0}, true, false},
		{"signed and unsigned", Differ{}, tensor(t, "x", []int64{math.MaxInt64, 1<<62 + 1}, 2), tensor(t, "x", []uint64{1 << 63, 1<<62 + 1}, 2),
			Values{Count: 2, Differ: 1, Beyond: 1, Odd: 0, MaxDelta: 1, MaxRelative: 0x1p-63, At: 0}, false, false},
		{"four bits", Differ{}, packed("x", "F4", 2, 0x71), packed("x", "F4", 2, 0x11), Values{Count: 2, Differ: 1, Beyond: 1, Odd: 0, MaxDelta: 5.5, MaxRelative: 5.5 / 6, At: 1}, false, false},
		{"four bits and sixteen", Differ{}, packed("x", "F4", 2, 0x11), packed("x", safetensors.BF16, 2, 0x00, 0x3f, 0x00, 0x3f), Values{Count: 2, Differ: 0, Beyond: 0, Odd: 0, MaxDelta: 0, MaxRelative: 0, At: -1}, true, false},
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
		case len(got) != 1 || counted(*got[0].Values) != tt.want || got[0].Within() != tt.within:
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

// Sums by hand. 3, 4 and 0, 5 have the squared norms 25, the squared distance 3*3+1, and the product 20.
func TestSums(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	const n = 2*numbersAtOnce + 1
	long, other := make([]float32, n), make([]float32, n)
	for i := range long {
		long[i], other[i] = 2, 2
	}
	other[n-1] = 4 // the first two parts are equal
	for _, tt := range []struct {
		what     string
		a, b     *safetensors.Tensor
		want     Sums
		l2, cos  float64
		infinite bool // l2 is
	}{
		{"a right triangle", tensor(t, "x", []float32{3, 4}, 2), tensor(t, "x", []float32{0, 5}, 2), Sums{10, 25, 25, 20}, math.Sqrt(10) / 5, 0.8, false},
		{"opposite", tensor(t, "x", []float64{1, -2}, 2), tensor(t, "x", []float64{-1, 2}, 2), Sums{20, 5, 5, -5}, 2, -1, false},
		{"NaN and infinities count nowhere", tensor(t, "x", []float32{nan, 3, inf, 1, inf}, 5), tensor(t, "x", []float32{nan, 5, inf, nan, 7}, 5), Sums{4, 9, 25, 15}, 2 / 3.0, 1, false},
		{"from zero", tensor(t, "x", []float32{0, 0}, 2), tensor(t, "x", []float32{3, 4}, 2), Sums{25, 0, 25, 0}, math.Inf(1), math.NaN(), true},
		{"to zero", tensor(t, "x", []float32{3, 4}, 2), tensor(t, "x", []float32{0, 0}, 2), Sums{25, 25, 0, 0}, 1, math.NaN(), false},
		{"signs of zero", tensor(t, "x", []float32{0, 0}, 2), tensor(t, "x", []float32{0, float32(math.Copysign(0, -1))}, 2), Sums{}, 0, math.NaN(), false},
		{"integers", tensor(t, "x", []int64{-3, 4}, 2), tensor(t, "x", []int64{0, 5}, 2), Sums{10, 25, 25, 20}, math.Sqrt(10) / 5, 0.8, false},
		{"unsigned ones", tensor(t, "x", []uint64{3, 4}, 2), tensor(t, "x", []uint64{0, 5}, 2), Sums{10, 25, 25, 20}, math.Sqrt(10) / 5, 0.8, false},
		{"BOOL is 0 and 1", tensor(t, "x", []bool{true, false}, 2), tensor(t, "x", []bool{true, true}, 2), Sums{1, 1, 2, 1}, 1, math.Sqrt(0.5), false},
		{"another dtype", tensor(t, "x", []int8{3, 4}, 2), tensor(t, "x", []float64{0, 5}, 2), Sums{10, 25, 25, 20}, math.Sqrt(10) / 5, 0.8, false},
		{"parts of complex numbers", tensor(t, "x", []complex64{3 + 4i}, 1), tensor(t, "x", []complex64{5i}, 1), Sums{10, 25, 25, 20}, math.Sqrt(10) / 5, 0.8, false},
		// F4: the pattern 5 is 3, 6 is 4, and 7 is 6. The first element is in the low bits.
		{"four bits", packed("x", "F4", 2, 0x65), packed("x", "F4", 2, 0x67), Sums{9, 25, 52, 34}, 3 / 5.0, 34 / (5 * math.Sqrt(52)), false},
		// F6_E2M3: 0x10 is 2 and 0x08 is 1, four elements in three bytes: 2, 0, 0, 0 and 1, 0, 0, 0.
		{"six bits", packed("x", "F6_E2M3", 4, 0x10, 0, 0), packed("x", "F6_E2M3", 4, 0x08, 0, 0), Sums{1, 4, 1, 2}, 0.5, 1, false},
		// F8_E4M3: 0x40 is 2, 0x38 is 1 and 0x7f is NaN.
		{"eight bits", packed("x", "F8_E4M3", 3, 0x40, 0x38, 0x7f), packed("x", "F8_E4M3", 3, 0x38, 0x40, 0x38), Sums{2, 5, 5, 4}, math.Sqrt(0.4), 0.8, false},
		// F8_E8M0: 0x80 is 2, 0x7f is 1 and 0xff is NaN.
		{"scales", packed("x", "F8_E8M0", 3, 0x80, 0x7f, 0xff), packed("x", "F8_E8M0", 3, 0x7f, 0x80, 0xff), Sums{2, 5, 5, 4}, math.Sqrt(0.4), 0.8, false},
		{"parts that are equal", tensor(t, "x", long, n), tensor(t, "x", other, n), Sums{4, 4 * n, 4*n + 12, 4*n + 4}, 2 / math.Sqrt(4*n), (4*n + 4) / math.Sqrt(4*n*(4*n+12)), false},
	} {
		d := Differ{Values: true}
		for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tt.a}, []*safetensors.Tensor{tt.b}) {
			if err != nil {
				t.Fatal(err)
			}
			got := c.Values.Sums
			if got != tt.want || !close(got.RelativeL2(), tt.l2) || !close(got.Cosine(), tt.cos) || math.IsInf(got.RelativeL2(), 1) != tt.infinite {
				t.Errorf("%s: %+v, relative L2 %v, cosine %v; want %+v, %v, %v", tt.what, got, got.RelativeL2(), got.Cosine(), tt.want, tt.l2, tt.cos)
			}
		}
	}
}

// close reports whether x is y but for rounding.
func close(x, y float64) bool {
	return x == y || x != x && y != y || math.Abs(x-y) <= 1e-15*math.Abs(y)
}

func TestLargeIntegers(t *testing.T) {
	d := Differ{Values: true}
	for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tensor(t, "x", []int64{math.MinInt64, 1}, 2)}, []*safetensors.Tensor{tensor(t, "x", []int64{math.MaxInt64, 1}, 2)}) {
		if err != nil || c.Values.MaxInteger != math.MaxUint64 {
			t.Errorf("%+v, %v", c.Values, err)
		}
	}
}

// The largest float64s have a difference that is none, but each of them is finite.
func TestDifferenceThatOverflows(t *testing.T) {
	d := Differ{Values: true, Absolute: 1}
	for c, err := range d.Tensors(t.Context(), []*safetensors.Tensor{tensor(t, "x", []float64{math.MaxFloat64}, 1)}, []*safetensors.Tensor{tensor(t, "x", []float64{-math.MaxFloat64}, 1)}) {
		if v := c.Values; err != nil || v.Odd != 0 || v.Beyond != 1 || !math.IsInf(v.MaxDelta, 1) || v.At != 0 {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// The sums of several tensors are those of one with all their values.
func TestAdd(t *testing.T) {
	a := &Values{Count: 2, Differ: 1, Beyond: 1, MaxDelta: 3, MaxRelative: 1, At: 1, MaxInteger: 3, Sums: Sums{9, 25, 10, 4}}
	a.Add(&Values{Count: 3, Differ: 2, Odd: 1, MaxDelta: 2, MaxRelative: 2, At: 0, MaxInteger: 2, Sums: Sums{1, 2, 3, 4}})
	if want := (Values{5, 3, 1, 1, 3, 2, -1, 3, Sums{10, 27, 13, 8}}); *a != want {
		t.Errorf("%+v, want %+v", *a, want)
	}
}
