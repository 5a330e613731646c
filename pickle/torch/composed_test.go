// Tensors that are made of others, as PyTorch saves them.

package torch

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// composed opens a sample of testdata/torch/composed, which PyTorch 1.13.1 has written.
func composed(t *testing.T, name string, o *Options) (*Checkpoint, error) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "torch", "composed", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return Open(f, info.Size(), o)
}

// TestComposed: the values are those of make.py beside the samples. Of quantized ones the
// integers are round(x / scale) + zero point, as in 1 / 0.25 + 3 = 7.
func TestComposed(t *testing.T) {
	coo := map[string][]float64{"w": {0, 0, 3, 4, 0, 5}, "bias": {1}}
	for name, want := range map[string]map[string][]float64{
		"coo.pt":     coo,
		"coo_old.pt": coo,
		"hybrid.pt":  {"w": {1, 2, 0, 0, 0, 0, 3, 4, 0, 0}},
		"csr.pt":     {"w": {0, 0, 1, 2, 0, 0, 0, 0, 0, 3, 4, 0}},
		"int8.pt":    {"w": {-1, 5, 3, 4, 7, 11}, "w.scale": {0.25}, "w.zero_point": {3}}, // which is transposed
		"channels.pt": {
			// Of the row 0.5, 0.25, 2 with the scale 0.5: 1 + 1, 0.5 to even + 1, 4 + 1. What is
			// below 0 in the first row has no uint8, and is 0.
			"w": {0, 0, 4, 2, 1, 5}, "w.scale": {0.25, 0.5}, "w.zero_point": {0, 1}, "w.axis": {0},
		},
	} {
		cp, err := composed(t, name, &Options{Dense: true, Quantized: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, tensor := range cp.Tensors {
			got := make([]float64, tensor.NumElems())
			if _, err := safetensors.DecodeAt(tensor, got, 0); err != nil || !slices.Equal(got, want[tensor.Name]) {
				t.Errorf("%s: %s is %v, want %v (%v)", name, tensor.Name, got, want[tensor.Name], err)
			}
		}
		if len(cp.Tensors) != len(want) || len(cp.Skipped) > 0 || len(cp.Shared()) > 0 {
			t.Errorf("%s: %d tensors, %v is left out", name, len(cp.Tensors), cp.Skipped)
		}
		if err := cp.CheckSums(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestComposedUnasked: without the options such tensors have no form, and the reason says
// which option gives one.
func TestComposedUnasked(t *testing.T) {
	cp, err := composed(t, "coo.pt", nil)
	if err != nil || len(cp.Tensors) != 1 || len(cp.Skipped) != 1 || cp.Skipped[0].Form != FormSparse || !cp.Skipped[0].Unsupported {
		t.Errorf("%+v, %v", cp, err)
	}
	for name, want := range map[string]Form{"csr.pt": FormSparse, "int8.pt": FormQuantized, "channels.pt": FormQuantized} {
		var format *FormatError
		if _, err := composed(t, name, nil); !errors.As(err, &format) || format.Form != want || format.Path != "w" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := composed(t, "unordered.pt", &Options{Dense: true}); err == nil || !strings.Contains(err.Error(), "unsorted or duplicate values") {
		t.Error(err)
	}
}

// TestDenseParts reads a tensor from and to every byte.
func TestDenseParts(t *testing.T) {
	for _, name := range []string{"coo.pt", "hybrid.pt", "csr.pt"} {
		cp, err := composed(t, name, &Options{Dense: true})
		if err != nil {
			t.Fatal(err)
		}
		w := cp.Tensors[0]
		all, err := io.ReadAll(io.NewSectionReader(w, 0, w.Size()))
		if err != nil {
			t.Fatal(err)
		}
		for from := range all {
			for to := from; to <= len(all); to++ {
				b := slices.Repeat([]byte{0xee}, to-from)
				if n, err := w.ReadAt(b, int64(from)); n != len(b) || err != nil || string(b) != string(all[from:to]) {
					t.Fatalf("%s: bytes %d to %d are %x, want %x (%d, %v)", name, from, to, b, all[from:to], n, err)
				}
			}
		}
	}
}

// longs are the bytes of int64s.
func longs(list ...int64) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return string(b)
}

// TestHostileSparse: numbers of sparse tensors that contradict each other are errors, and
// neither panics nor loops.
func TestHostileSparse(t *testing.T) {
	matrix := func(key string, rows, columns int64) string {
		return tensorOf(stored("LongStorage", key, rows*columns), 0, []int64{rows, columns}, []int64{columns, 1})
	}
	line := func(class, key string, n int64) string {
		return tensorOf(stored(class, key, n), 0, []int64{n}, []int64{1})
	}
	sparse := func(layout string, parts ...string) string {
		return call(glob("torch._utils", "_rebuild_sparse_tensor"), call(glob("torch.serialization", "_get_layout"), str(layout)), tuple(parts...))
	}
	values := line("FloatStorage", "v", 2)
	for what, tt := range map[string]struct{ value, index, begins, want string }{
		"an index below 0":      {sparse("torch.sparse_coo", matrix("i", 1, 2), values, tuple(num(3))), longs(-1, 1), "", "an index is -1 in a dimension of 3"},
		"an index past the end": {sparse("torch.sparse_coo", matrix("i", 1, 2), values, tuple(num(3))), longs(0, 3), "", "an index is 3 in a dimension of 3"},
		"more dimensions":       {sparse("torch.sparse_coo", matrix("i", 2, 1), values, tuple(num(3))), longs(0, 1), "", "the indices have 2 dimensions, but the tensor has 1"},
		"too few values":        {sparse("torch.sparse_coo", matrix("i", 1, 2), line("FloatStorage", "v", 1), tuple(num(3))), longs(0, 1), "", "the values have shape [1]"},
		"indices that are none": {sparse("torch.sparse_coo", values, values, tuple(num(3))), longs(0, 1), "", "the indices are F32"},
		"itself":                {sparse("torch.sparse_coo", sparse("torch.sparse_coo", values, values, tuple()), values, tuple(num(3))), longs(0, 1), "", "consists of tensors that are sparse or quantized themselves"},
		"too large":             {sparse("torch.sparse_coo", matrix("i", 1, 2), values, tuple(num(1<<30), num(1<<30), num(1<<30))), longs(0, 1), "", "the values have shape"},
		"rows that end before":  {sparse("torch.sparse_csr", line("LongStorage", "b", 3), line("LongStorage", "i", 2), values, tuple(num(2), num(3))), longs(0, 1), longs(0, 2, 1), "a row ends before it starts"},
		"rows that leave some":  {sparse("torch.sparse_csr", line("LongStorage", "b", 3), line("LongStorage", "i", 2), values, tuple(num(2), num(3))), longs(0, 1), longs(0, 1, 1), "the rows do not start at the first value"},
		"a column past the end": {sparse("torch.sparse_csr", line("LongStorage", "b", 3), line("LongStorage", "i", 2), values, tuple(num(2), num(3))), longs(0, 3), longs(0, 1, 2), "a column is 3 in a row of 3"},
		"too few rows":          {sparse("torch.sparse_csr", line("LongStorage", "b", 3), line("LongStorage", "i", 2), values, tuple(num(3), num(3))), longs(0, 1), longs(0, 1, 2), "3 rows and 3 row bounds"},
		"another layout":        {sparse("torch.sparse_bsc", values), "", "", `with layout "sparse_bsc"`},
	} {
		b := archiveOf(t, dict(str("w"), tt.value), "i", tt.index, "b", tt.begins, "v", counting(2))
		_, err := Open(strings.NewReader(string(b)), int64(len(b)), &Options{Dense: true})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
	}
}

// TestValues: what json.dumps would make of the values of make.py, but for those that are
// none of JSON.
func TestValues(t *testing.T) {
	const want = `{"epoch":3,"options":{"lr":0.1,"betas":[0.9,0.999],"name":"a é \"b\"\n","nothing":null,"nan":"NaN","low":"-Infinity",` +
		`"large":1208925819614629174706176,"flag":true,"1":"one","list":[1,[2,{"k":[]}]],"set":[3],"size":[1,2]}}`
	for _, name := range []string{"values.pt", "values_old.pt"} {
		cp, err := composed(t, name, &Options{Values: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(cp.Values.JSON); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		var left []string
		for _, s := range cp.Values.LeftOut {
			left = append(left, s.Path+": "+s.What)
		}
		if want := []string{
			"options.dtype: the name torch.float32", "options.device: an object of torch.device", "options.bytes: an object of _codecs.encode",
			"options.(a tuple): a value with a tuple as key",
		}; !slices.Equal(left, want) {
			t.Errorf("%s: %q is left out, want %q", name, left, want)
		}
	}
	if cp, err := composed(t, "values.pt", nil); err != nil || cp.Values != nil {
		t.Errorf("unasked: %v, %v", cp.Values, err)
	}
}

// TestValuesInPlaces: what is left out of a list leaves its place, and of a dict nothing.
func TestValuesInPlaces(t *testing.T) {
	w := vector("0", 2)
	object := newObject(glob("argparse", "Namespace"), dict(str("lr"), num(1)))
	huge := list(num(1))
	for range 40 {
		huge = "](" + huge + "q\x00h\x00e" // each twice in the next
	}
	for what, tt := range map[string]struct{ value, want, err string }{
		"lists":            {dict(str("w"), w, str("l"), list(w, num(1), object)), `{"l":[null,1,null]}`, ""},
		"nothing plain":    {dict(str("w"), w, str("l"), list(w, list(object))), `{}`, ""},
		"empty ones":       {dict(str("w"), w, str("l"), list(dict(), tuple())), `{"l":[{},[]]}`, ""},
		"the last of two":  {dict(str("w"), w, str("a"), num(1), str("b"), num(2), str("a"), num(3)), `{"a":3,"b":2}`, ""},
		"1 and its text":   {dict(str("w"), w, num(1), num(1), str("1"), num(2)), `{"1":1}`, ""},
		"floats":           {dict(str("w"), w, str("f"), list("G\x3f\xf0\x00\x00\x00\x00\x00\x00", "G\x44\xb5\x2d\x02\xc7\xe1\x4a\xf6")), `{"f":[1.0,1e+23]}`, ""},
		"a tensor alone":   {w, "null", ""},
		"a list in itself": {dict(str("w"), w, str("l"), "]q\x01(h\x01"+num(1)+"e"), `{"l":[null,1]}`, ""},
		"without end":      {dict(str("w"), w, str("l"), huge), "", "more than"},
	} {
		b := archiveOf(t, tt.value, "0", counting(2))
		cp, err := Open(strings.NewReader(string(b)), int64(len(b)), &Options{Values: true, All: true})
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v", what, err)
			}
		case err != nil:
			t.Errorf("%s: %v", what, err)
		case string(cp.Values.JSON) != tt.want:
			t.Errorf("%s: %s, want %s", what, cp.Values.JSON, tt.want)
		}
	}
}
