// Codes and fields.

package dtype

import "testing"

func TestParse(t *testing.T) {
	for code, want := range map[string]int64{
		"b1": 1, "i1": 1, "u2": 2, "<i4": 4, ">i8": 8, "=u8": 8, "f2": 2, "f4": 4, "f8": 8, "f12": 12, "f16": 16, "c8": 8,
		"c16": 16, "c32": 32, "M8": 8, "m8": 8, "|S0": 0, "S5": 5, "U0": 0, "<U5": 20, "V8": 8, "|V0": 0, "O8": 8, "O4": 8,
		"S2147483647": 2147483647,
	} {
		d := Parse(code)
		if d == nil || d.Size != want || d.Objects != (d.Kind == 'O') {
			t.Errorf("%s: %+v", code, d)
		}
	}
	for _, code := range []string{
		"", "f", "<", "8", "O", "|O", "object", "float64", "i3", "i16", "f1", "f32", "b8", "c4", "M4", "O16", "S", "U", "V", "S-1",
		"S+1", "S 1", "S01", "i4,O", "f4 ", " f4", "f4\x00", "(2,)f4", "8f8", "d", "?", "a5", "T16", "S2147483648", "U1073741824",
		"<<f4", "f4<", "ſ1", "ｆ8",
	} {
		if d := Parse(code); d != nil {
			t.Errorf("%q: %+v", code, d)
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, k := range []struct {
		fields spans
		want   bool
	}{
		{nil, false},
		{spans{{0, 8}, {8, 16}}, false},
		{spans{{8, 16}, {0, 8}}, false},
		{spans{{0, 8}, {4, 12}}, true},
		{spans{{0, 16}, {4, 8}, {16, 24}}, true},
		{spans{{0, 8}, {0, 8}}, true},
		{spans{{0, 8}, {4, 4}}, false}, // an empty field
	} {
		if got := k.fields.overlap(); got != k.want {
			t.Errorf("%v: %v", k.fields, got)
		}
	}
}
