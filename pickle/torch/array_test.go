package torch

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// An arrayDtype is a dtype of NumPy or of ml_dtypes as NumPy pickles it.
type arrayDtype struct {
	code  string // of NumPy, or the name in ml_dtypes
	order string
	width int
	want  safetensors.Dtype // "" if safetensors lacks it
}

var dtypesOfArrays = []arrayDtype{
	{"f4", "<", 4, safetensors.F32}, {"f8", "<", 8, safetensors.F64}, {"f2", "<", 2, safetensors.F16},
	{"i8", "<", 8, safetensors.I64}, {"u1", "|", 1, safetensors.U8}, {"b1", "|", 1, safetensors.BOOL},
	{"c8", "<", 8, safetensors.C64}, {"bfloat16", "<", 2, safetensors.BF16},
	{"float8_e4m3fn", "<", 1, safetensors.F8_E4M3}, {"float8_e5m2", "<", 1, safetensors.F8_E5M2},
	{"float8_e4m3fnuz", "<", 1, safetensors.F8_E4M3FNUZ}, {"float8_e5m2fnuz", "<", 1, safetensors.F8_E5M2FNUZ},
	{"float8_e8m0fnu", "<", 1, safetensors.F8_E8M0},
	{"c16", "<", 16, ""}, {"f16", "<", 16, ""}, {"U2", "<", 8, ""}, {"S3", "|", 3, ""}, {"M8", "<", 8, ""}, {"m8", "<", 8, ""},
	{"V2", "|", 2, ""}, {"O8", "|", 8, ""}, {"float8_e4m3", "<", 1, ""}, {"float4_e2m1fn", "<", 1, ""}, {"int4", "<", 1, ""},
}

// pickled returns the dtype as a value.
func (d arrayDtype) pickled() string {
	kind := str(d.code)
	if strings.ContainsAny(d.code, "_") || strings.HasSuffix(d.code, "16") && len(d.code) > 3 || d.code == "int4" {
		kind = glob("ml_dtypes", d.code)
	}
	return call(glob("numpy", "dtype"), kind, "\x89", "\x88") + tuple(num(3), str(d.order), "N", "N", "N", num(-1), num(-1), num(0)) + "b"
}

// TestVariantsArray reads arrays of each dtype in each form in which a version of NumPy pickles it.
func TestVariantsArray(t *testing.T) {
	encoded := func(data string) string {
		if data == "" {
			return call(glob("__builtin__", "bytes"))
		}
		return call(glob("_codecs", "encode"), str(toUTF8(data)), str("latin1"))
	}
	bytes := func(data string) string { return "B" + le32(len(data)) + data }
	byteArray := func(data string) string { return "\x96" + le32(len(data)) + "\x00\x00\x00\x00" + data }
	text := func(data string) string { return "T" + le32(len(data)) + data } // Python 2
	n := 0
	for _, d := range dtypesOfArrays {
		for _, module := range []string{"numpy.core.", "numpy._core."} {
			for _, shape := range [][]int64{{2, 3}, {0, 3}, {}, {6}} {
				elements := 1
				for _, dim := range shape {
					elements *= int(dim)
				}
				data := ""
				for i := range elements * d.width {
					data += string([]byte{byte(37 * i)})
				}
				forms := map[string]string{}
				for name, encode := range map[string]func(string) string{"bytes": bytes, "text": text, "encoded": encoded} {
					forms["state of "+name] = call(glob(module+"multiarray", "_reconstruct"), glob("numpy", "ndarray"), tuple(num(0)), encode("b")) +
						tuple(num(1), ints64(shape...), d.pickled(), "\x89", encode(data)) + "b"
				}
				for name, encode := range map[string]func(string) string{"bytes": bytes, "bytearray": byteArray} {
					forms["buffer of "+name] = call(glob(module+"numeric", "_frombuffer"), encode(data), d.pickled(), ints64(shape...), str("C"))
				}
				for form, value := range forms {
					n++
					name := fmt.Sprintf("%s %v, %s of %s", d.code, shape, form, module)
					checkArray(t, name, value, d, shape, data)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}

// checkArray opens a pickle with the array w and the array a.
func checkArray(t *testing.T, name, value string, d arrayDtype, shape []int64, data string) {
	b := []byte(proto + dict(str("w"), value, str("a"), arrayOf("f4", "\x00\x00\x80\x3f")) + ".")
	cp := openBytes(t, b, nil)
	if d.want == "" {
		if len(cp.Tensors) != 1 || len(cp.Skipped) != 1 || !cp.Skipped[0].Unsupported || cp.Skipped[0].Path != "w" || cp.Skipped[0].Tensors != 1 {
			t.Errorf("%s: %v, skipped %+v", name, cp.Tensors, cp.Skipped)
		}
		return
	}
	if len(cp.Tensors) != 2 || cp.Tensors[0].Dtype != d.want || !slices.Equal(cp.Tensors[0].Shape, shape) {
		t.Errorf("%s: %v, skipped %+v", name, cp.Tensors, cp.Skipped)
		return
	}
	got, err := io.ReadAll(io.NewSectionReader(cp.Tensors[0], 0, int64(len(data)+1)))
	if err != nil || string(got) != data {
		t.Errorf("%s: %q, %v; want %q", name, got, err, data)
	}
}

// arrayOf returns a one-dimensional array.
func arrayOf(code, data string) string {
	d := arrayDtype{code: code, order: "<"}
	n := int64(len(data) / 4)
	return call(glob("numpy._core.numeric", "_frombuffer"), "B"+le32(len(data))+data, d.pickled(), ints64(n), str("C"))
}

// toUTF8 returns the text with the characters that data encodes in Latin-1.
func toUTF8(data string) string {
	var b strings.Builder
	for i := range len(data) {
		b.WriteRune(rune(data[i]))
	}
	return b.String()
}

// TestArrayOrders reads arrays of other orders than C.
func TestArrayOrders(t *testing.T) {
	f4 := arrayDtype{code: "f4", order: "<"}.pickled()
	of := func(shape string, order ...string) string {
		return call(glob("numpy._core.numeric", "_frombuffer"), append([]string{"B" + le32(24) + counting(6), f4, shape}, order...)...)
	}
	masked := call(glob("numpy.ma.core", "_mareconstruct"), glob("numpy.ma", "MaskedArray"), glob("numpy", "ndarray"), tuple(num(0)), str("b")) + tuple(num(1)) + "b"
	fields := call(glob("numpy", "dtype"), str("V8"), "\x89", "\x88") + tuple(num(3), str("|"), "N", tuple(str("a")), dict(), num(8), num(1), num(16)) + "b"
	for _, tt := range []struct{ name, value, want string }{
		{"C", of(ints64(2, 3), str("C")), "[2 3] 0 1 2 3 4 5"},
		{"F", of(ints64(2, 3), str("F")), "[2 3] 0 2 4 1 3 5"},
		{"K", of(ints64(2, 3), str("K"), ints64(1, 0)), "[3 2] 0 3 1 4 2 5"},
		{"K of three", of(ints64(1, 2, 3), str("K"), ints64(2, 0, 1)), "[3 1 2] 0 3 1 4 2 5"},
		{"no axes", of(ints64(2, 3), str("K"), ints64()), "2 dimensions but 0 axes"},
		{"an axis twice", of(ints64(2, 3), str("K"), ints64(1, 1)), "each dimension once"},
		{"an axis too many", of(ints64(2, 3), str("K"), ints64(0, 2)), "each dimension once"},
		{"another order", of(ints64(2, 3), str("A")), "instead of C, F or K"},
		{"no order", of(ints64(2, 3)), "needs 4 arguments"},
		{"too large", of(ints64(2, 4), str("C")), "last element has index 7"},
		{"too small", of(ints64(2, 2), str("C")), "needs 16 bytes, but there are 24"},
		{"masked", masked, "a masked array"},
		{"fields", call(glob("numpy._core.numeric", "_frombuffer"), "B"+le32(8)+"abcdefgh", fields, ints64(1), str("C")), "fields or sub-arrays"},
		{"no dtype", call(glob("numpy._core.numeric", "_frombuffer"), "B"+le32(8)+"abcdefgh", "N", ints64(1), str("C")), "a dtype that is None"},
		{"no state", call(glob("numpy._core.multiarray", "_reconstruct"), glob("numpy", "ndarray"), tuple(num(0)), str("b")), "no state"},
	} {
		b := proto + dict(str("w"), tt.value) + "."
		cp, err := Open(strings.NewReader(b), int64(len(b)), nil)
		var format *FormatError
		got := fmt.Sprint(err)
		if err == nil {
			values, err := safetensors.Read[float32](cp.Tensors[0])
			got = fmt.Sprint(cp.Tensors[0].Shape, " ", strings.Trim(fmt.Sprint(values), "[]"), err)
			got = strings.TrimSuffix(got, "<nil>")
		} else if !errors.As(err, &format) {
			t.Errorf("%s: %T", tt.name, err)
		}
		if err == nil && got != tt.want || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
