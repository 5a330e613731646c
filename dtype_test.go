// The dtypes, against a table that was made from the reference's source.

package safetensors_test

import (
	"math"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/num"
)

// widths are the dtypes of crate safetensors 0.8.0 in the order of its Dtype,
// and the bits that its Dtype::bitsize gives.
var widths = []struct {
	dtype safetensors.Dtype
	bits  int
}{
	{"BOOL", 8}, {"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8}, {"I8", 8}, {"F8_E5M2", 8}, {"F8_E4M3", 8},
	{"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16}, {"BF16", 16},
	{"I32", 32}, {"U32", 32}, {"F32", 32}, {"C64", 64}, {"F64", 64}, {"I64", 64}, {"U64", 64},
}

func TestDtypes(t *testing.T) {
	var got []safetensors.Dtype
	for d := range safetensors.Dtypes() {
		got = append(got, d)
	}
	if len(got) != len(widths) {
		t.Fatalf("%d dtypes, want %d", len(got), len(widths))
	}
	for i, want := range widths {
		if got[i] != want.dtype || got[i].Bits() != want.bits {
			t.Errorf("dtype %d is %s of %d bits, want %s of %d", i, got[i], got[i].Bits(), want.dtype, want.bits)
		}
	}
	for d := range safetensors.Dtypes() {
		if d != "BOOL" {
			t.Errorf("a loop that is left went on to %s", d)
		}
		break
	}
}

// Every dtype has a codec, which agrees with it.
func TestDtypeClasses(t *testing.T) {
	kinds := map[num.Kind][]safetensors.Class{
		num.Bool:     {safetensors.ClassBool},
		num.Unsigned: {safetensors.ClassUnsigned},
		num.Signed:   {safetensors.ClassSigned},
		num.Float:    {safetensors.ClassFloat, safetensors.ClassScale, safetensors.ClassComplex},
	}
	for d := range safetensors.Dtypes() {
		c := num.For(string(d))
		if c == nil {
			t.Errorf("%s has no codec", d)
			continue
		}
		if c.Bits()*c.Parts() != d.Bits() || !slices.Contains(kinds[c.Kind()], d.Class()) || (c.Parts() == 2) != (d.Class() == safetensors.ClassComplex) {
			t.Errorf("%s is %s of %d bits, and its codec has %d numbers of kind %d and %d bits", d, d.Class(), d.Bits(), c.Parts(), c.Kind(), c.Bits())
		}
	}
	if c := safetensors.Dtype("F7").Class(); c != "" {
		t.Errorf("an unknown dtype has class %q", c)
	}
}

// TestDtypesOfNoFormat has names that are near to those of the format.
func TestDtypesOfNoFormat(t *testing.T) {
	for _, d := range []safetensors.Dtype{"", "u8", "U8 ", " U8", "F8_E4M3FN", "F8", "I4", "U4", "C128", "F128", "float32", "BF16\x00", "F6"} {
		if bits := d.Bits(); bits != 0 {
			t.Errorf("%q has %d bits", d, bits)
		}
		if size, ok := d.Size(8); ok || size != 0 {
			t.Errorf("8 of %q take %d bytes", d, size)
		}
	}
}

func TestDtypeSize(t *testing.T) {
	for _, test := range []struct {
		dtype safetensors.Dtype
		n     int64
		size  int64
		ok    bool
	}{
		{safetensors.U8, 0, 0, true},
		{safetensors.U8, 5, 5, true},
		{safetensors.F16, 3, 6, true},
		{safetensors.F32, 3, 12, true},
		{safetensors.C64, 3, 24, true},
		{safetensors.BOOL, 3, 3, true},
		{safetensors.F4, 2, 1, true},
		{safetensors.F4, 3, 0, false}, // 12 bits
		{safetensors.F4, 0, 0, true},
		{safetensors.F6_E2M3, 4, 3, true},
		{safetensors.F6_E2M3, 2, 0, false}, // 12 bits
		{safetensors.F6_E3M2, 1, 0, false},
		{safetensors.F6_E3M2, 8, 6, true},
		{safetensors.U8, -1, 0, false},
		{safetensors.U8, math.MinInt64, 0, false},
		{safetensors.U8, 1<<61 - 1, 1<<61 - 1, true}, // the most whose bits fit 64
		{safetensors.U8, 1 << 61, 0, false},
		{safetensors.F64, 1<<58 - 1, 1<<61 - 8, true},
		{safetensors.F64, 1 << 58, 0, false},
		{safetensors.F4, 1<<62 - 2, 1<<61 - 1, true},
		{safetensors.F4, 1 << 62, 0, false},
		{safetensors.F4, math.MaxInt64, 0, false},
	} {
		size, ok := test.dtype.Size(test.n)
		if ok != test.ok || ok && size != test.size {
			t.Errorf("%d of %s take %d bytes, %v; want %d, %v", test.n, test.dtype, size, ok, test.size, test.ok)
		}
	}
	// Every dtype, against bits counted one by one.
	for _, w := range widths {
		for n := range int64(50) {
			bits := n * int64(w.bits)
			size, ok := w.dtype.Size(n)
			if want := bits%8 == 0; ok != want || ok && size != bits/8 {
				t.Errorf("%d of %s take %d bytes, %v", n, w.dtype, size, ok)
			}
		}
	}
}

// TestDtypeIsKept checks that a dtype of the future is listed and written as it
// is, though no file with it is valid.
func TestDtypeIsKept(t *testing.T) {
	text := `{"a":{"dtype":"F2_E1M0","shape":[16],"data_offsets":[0,4]}}`
	r := report(t, append(start(text, 0), 1, 2, 3, 4))
	if len(r.Header.Tensors) != 1 || r.Header.Tensors[0].Dtype != "F2_E1M0" || r.Header.Tensors[0].Size() != 4 {
		t.Fatalf("%+v", r.Header.Tensors)
	}
	b, err := (&safetensors.Header{Tensors: r.Header.Tensors}).AppendBinary(nil)
	if err != nil || string(b[8:8+len(text)]) != text {
		t.Errorf("%q, %v", b, err)
	}
	if want := []safetensors.Rule{safetensors.RuleDtype}; !slices.Contains(rules(r), want[0]) || r.First(safetensors.Nonconforming).Rule != want[0] {
		t.Errorf("%v", r.Violations)
	}
}
