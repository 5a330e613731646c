// Patterns and their classes.

package num

import (
	"math"
	"testing"
)

func TestPatternsOfEachClass(t *testing.T) {
	// NaN, Inf, Zero, Subnormal, Max: how many patterns of each. With m bits
	// of mantissa, there are 2^m - 1 subnormals of each sign, and as many NaNs
	// if the dtype has infinities.
	want := map[string][5]int{
		"BOOL": {0, 0, 1, 0, 0}, "U8": {0, 0, 1, 0, 0}, "I8": {0, 0, 1, 0, 0},
		"I16": {0, 0, 1, 0, 0}, "U16": {0, 0, 1, 0, 0},
		"F4":          {0, 0, 2, 2, 2},
		"F6_E2M3":     {0, 0, 2, 14, 2},
		"F6_E3M2":     {0, 0, 2, 6, 2},
		"F8_E5M2":     {6, 2, 2, 6, 2},
		"F8_E4M3":     {2, 0, 2, 14, 2},
		"F8_E8M0":     {1, 0, 0, 0, 1},
		"F8_E4M3FNUZ": {1, 0, 1, 14, 2},
		"F8_E5M2FNUZ": {1, 0, 1, 6, 2},
		"F16":         {2046, 2, 2, 2046, 2},
		"BF16":        {254, 2, 2, 254, 2},
	}
	for _, c := range codecs {
		if c.bits > 16 {
			continue
		}
		var got [5]int
		x := make([]float64, 1<<c.bits)
		Decode(c, x, everyPattern(c), 0)
		for p := range x {
			value, class := c.Pattern(uint16(p))
			if math.Float64bits(value) != math.Float64bits(x[p]) {
				t.Errorf("%s %#x is %v, and decodes as %v", c.dtype, p, value, x[p])
			}
			for k := range got {
				if class>>k&1 != 0 {
					got[k]++
				}
			}
			if class.Has(NaN) != math.IsNaN(value) || class.Has(Inf) != math.IsInf(value, 0) || class.Has(Zero) != (value == 0) {
				t.Errorf("%s %#x, %v, is of class %05b", c.dtype, p, value, class)
			}
		}
		if got != want[c.dtype] {
			t.Errorf("%s has %v patterns of NaN, Inf, Zero, Subnormal, Max; want %v", c.dtype, got, want[c.dtype])
		}
	}
}

func TestPatternsThatAreLargestOrSubnormal(t *testing.T) {
	tests := []struct {
		dtype string
		p     uint16
		value float64
		class Class
	}{
		{"F8_E4M3", 0xfe, -448, Max}, {"F8_E4M3", 0x07, 0x7p-9, Subnormal}, {"F8_E4M3", 0x08, 0x1p-6, 0},
		{"F16", 0x03ff, 0x3ffp-24, Subnormal}, {"F16", 0x0400, 0x1p-14, 0}, {"F16", 0x7bff, 65504, Max},
		{"BF16", 0x0001, 0x1p-133, Subnormal}, {"BF16", 0x8000, math.Copysign(0, -1), Zero},
		{"F4", 0x1, 0.5, Subnormal}, {"F4", 0xf, -6, Max}, {"F4", 0xf1, 0.5, Subnormal},
		{"F8_E8M0", 0x00, 0x1p-127, 0}, {"F8_E8M0", 0xfe, 0x1p127, Max},
		{"I8", 0x80, -128, 0}, {"BOOL", 0x02, 1, 0},
	}
	for _, test := range tests {
		value, class := For(test.dtype).Pattern(test.p)
		if math.Float64bits(value) != math.Float64bits(test.value) || class != test.class {
			t.Errorf("%s %#x is %v, class %05b; want %v, %05b", test.dtype, test.p, value, class, test.value, test.class)
		}
	}
}
