// Values: exact for every dtype, nested by shape, and never all in memory.

package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// tensorOf returns a tensor of the given bytes.
func tensorOf(d safetensors.Dtype, b []byte, shape ...int64) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: "t", Dtype: d, Shape: shape, Offsets: safetensors.Span{End: int64(len(b))}},
		ReaderAt:   bytes.NewReader(b),
	}
}

// counting returns a U8 tensor of 0, 1, 2 and so on.
func counting(shape ...int64) *safetensors.Tensor {
	n := int64(1)
	for _, dim := range shape {
		n *= dim
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return tensorOf(safetensors.U8, b, shape...)
}

// catText, catJSON and catCSV are what is piped.
func catText(t *testing.T, x *safetensors.Tensor, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&Cat{Tensor: x}).Text(&b, typeset.Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func catJSON(t *testing.T, x *safetensors.Tensor, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&Cat{Tensor: x}).JSON(&b, typeset.Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func catCSV(t *testing.T, x *safetensors.Tensor) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&Cat{Tensor: x}).CSV(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Brackets as NumPy has them, but for commas, and JSON on one line.
func TestCatNestsByShape(t *testing.T) {
	for _, tt := range []struct {
		shape           []int64
		text, json, csv string
	}{
		{nil, "0\n", "0", "0\n"},
		{[]int64{1}, "[0]\n", "[0]", "0\n"},
		{[]int64{3}, "[0, 1, 2]\n", "[0,1,2]", "0,1,2\n"},
		{[]int64{2, 2}, "[[0, 1],\n [2, 3]]\n", "[[0,1],[2,3]]", "0,1\n2,3\n"},
		{[]int64{2, 1}, "[[0],\n [1]]\n", "[[0],[1]]", "0\n1\n"},
		{[]int64{1, 1, 2}, "[[[0, 1]]]\n", "[[[0,1]]]", "0,1\n"},
		{[]int64{2, 2, 1}, "[[[0],\n  [1]],\n\n [[2],\n  [3]]]\n", "[[[0],[1]],[[2],[3]]]", "0\n1\n2\n3\n"},
		{[]int64{0}, "[]\n", "[]", ""},
		{[]int64{2, 0, 3}, "[]\n", "[]", ""},
	} {
		x := counting(tt.shape...)
		if got := catText(t, x, 0); got != tt.text {
			t.Errorf("%v: %q, want %q", tt.shape, got, tt.text)
		}
		shape := strings.ReplaceAll(x.ShapeString(), " ", "")
		want := `{"schema":"weigh.cat/1","name":"t","dtype":"U8","shape":` + shape + `,"values":` + tt.json + "}\n"
		if got := catJSON(t, x, 0); got != want {
			t.Errorf("%v: %q, want %q", tt.shape, got, want)
		}
		if got := catCSV(t, x); got != tt.csv {
			t.Errorf("%v: %q, want %q", tt.shape, got, tt.csv)
		}
	}
}

// 20 columns, of which 16 are kept free: a line ends after its first four bytes,
// or three where JSON has indented it.
func TestCatFoldsRowsOnTerminals(t *testing.T) {
	if got, want := catText(t, counting(2, 3), 20), "[[0, 1,\n  2],\n [3, 4,\n  5]]\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := "{\n  \"schema\": \"weigh.cat/1\",\n  \"name\": \"t\",\n  \"dtype\": \"U8\",\n  \"shape\": [2,2],\n" +
		"  \"values\": [[0, 1],\n             [2, 3]]\n}\n"
	if got := catJSON(t, counting(2, 2), 80); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// manifest is what other programs have read from the files under testdata.
func manifest(t *testing.T) map[string]map[string][]any {
	t.Helper()
	text, err := os.ReadFile("../../../../../testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Files []struct {
			Path    string
			Tensors []struct {
				Name   string
				Values []any
			}
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]map[string][]any)
	for _, f := range m.Files {
		files[f.Path] = make(map[string][]any)
		for _, x := range f.Tensors {
			if x.Values != nil {
				files[f.Path][x.Name] = x.Values
			}
		}
	}
	return files
}

// The values of every dtype are those that NumPy and ml_dtypes read.
func TestCatValuesAreThoseOfOtherReaders(t *testing.T) {
	seen := make(map[safetensors.Dtype]bool)
	for path, tensors := range manifest(t) {
		f, err := safetensors.Open(filepath.Join("../../../../../testdata", path))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for name, want := range tensors {
			x, err := f.Tensor(name)
			if err != nil {
				t.Fatal(err)
			}
			seen[x.Dtype] = true
			var doc struct{ Values any }
			d := json.NewDecoder(strings.NewReader(catJSON(t, x, 0)))
			d.UseNumber()
			if err := d.Decode(&doc); err != nil {
				t.Errorf("%s: %q: %v", path, name, err)
				continue
			}
			got := flat(doc.Values, len(x.Shape))
			if diff := cmp.Diff(exact(t, x.Dtype, want, 64), exact(t, x.Dtype, got, 32)); diff != "" {
				t.Errorf("%s: %q (-want +got):\n%s", path, name, diff)
			}
		}
	}
	for d := range safetensors.Dtypes() {
		if !seen[d] {
			t.Errorf("no file has values of %s", d)
		}
	}
}

// flat returns nested values in a row.
func flat(v any, depth int) []any {
	if depth == 0 {
		return []any{v}
	}
	var all []any
	for _, v := range v.([]any) {
		all = append(all, flat(v, depth-1)...)
	}
	return all
}

// exact returns numbers, so equal ones are equal: floats read in so many
// bits, or in 64 if they are F64, and integers as their digits.
func exact(t *testing.T, d safetensors.Dtype, list []any, bits int) []any {
	t.Helper()
	var all []any
	for _, v := range list {
		switch x := v.(type) {
		case []any:
			all = append(all, exact(t, d, x, bits)...)
			continue
		case json.Number:
			if strings.Trim(string(d), "0123456789") == "I" || strings.Trim(string(d), "0123456789") == "U" {
				break
			}
			if d == safetensors.F64 {
				bits = 64
			}
			y, err := strconv.ParseFloat(string(x), bits)
			if err != nil {
				t.Fatal(err)
			}
			v = y
		}
		all = append(all, v)
	}
	return all
}

// Numbers of the kinds that print badly, their digits by hand: 2^53+1 is no
// float64, 0.1 no float32, and 16777216 is 2^24.
func TestCatSpelling(t *testing.T) {
	floats, err := safetensors.NewTensor("t", []float32{0.1, 16777216, 1e21, 1e-7, float32(math.Copysign(0, -1)), float32(math.Inf(-1)), float32(math.NaN())}, 7)
	if err != nil {
		t.Fatal(err)
	}
	large, _ := safetensors.NewTensor("t", []int64{9007199254740993, math.MinInt64}, 2)
	complexes, _ := safetensors.NewTensor("t", []complex64{1 + 2i, complex(0, -1.5), complex(float32(math.NaN()), float32(math.Inf(1)))}, 3)
	bools := tensorOf(safetensors.BOOL, []byte{0, 1, 7}, 3)
	for _, tt := range []struct {
		x         *safetensors.Tensor
		csv, json string
	}{
		{floats, "0.1,16777216,1e+21,1e-07,-0,-Infinity,NaN\n", `[0.1,16777216,1e+21,1e-07,-0,"-Infinity","NaN"]`},
		{large, "9007199254740993,-9223372036854775808\n", "[9007199254740993,-9223372036854775808]"},
		{complexes, "1+2j,0-1.5j,NaN+Infinityj\n", `[[1,2],[0,-1.5],["NaN","Infinity"]]`},
		{bools, "false,true,true\n", "[false,true,true]"},
	} {
		if got := catCSV(t, tt.x); got != tt.csv {
			t.Errorf("%q, want %q", got, tt.csv)
		}
		if got := catJSON(t, tt.x, 0); !strings.HasSuffix(got, `"values":`+tt.json+"}\n") {
			t.Errorf("%s, want %s", got, tt.json)
		}
	}
}

// What is longer than any buffer comes out the same.
func TestCatInParts(t *testing.T) {
	const rows, columns = 1000, 77
	x := counting(rows, columns)
	var want strings.Builder
	for i := range rows * columns {
		want.WriteString(strconv.Itoa(i % 256))
		want.WriteString(map[bool]string{false: ",", true: "\n"}[i%columns == columns-1])
	}
	if got := catCSV(t, x); got != want.String() {
		t.Error("the records are not those of the elements")
	}
	nested := "[[" + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(want.String(), "\n"), ",", ", "), "\n", "],\n [") + "]]\n"
	if got := catText(t, x, 0); got != nested {
		t.Error("the rows are not those of the elements")
	}
}

// endless reads as zeros, and counts how many.
type endless struct{ read int64 }

func (e *endless) ReadAt(b []byte, _ int64) (int, error) {
	e.read += int64(len(b))
	clear(b)
	return len(b), nil
}

// full is a writer with no room.
type full struct{ error }

func (f full) Write([]byte) (int, error) { return 0, f.error }

// A terabyte of zeros ends with the first write that fails.
func TestCatStopsWhenNobodyReads(t *testing.T) {
	const size = 1 << 40
	for name, write := range map[string]func(*Cat, io.Writer, typeset.Style) error{
		"text": (*Cat).Text, "json": (*Cat).JSON, "csv": (*Cat).CSV, "raw": (*Cat).Raw, "npy": (*Cat).NPY,
	} {
		e, gone := new(endless), errors.New("nobody reads")
		x := &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: "t", Dtype: safetensors.U8, Shape: []int64{size}, Offsets: safetensors.Span{End: size}}, ReaderAt: e}
		if err := write(&Cat{Tensor: x}, full{gone}, typeset.Style{}); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		if e.read > 2<<20 {
			t.Errorf("%s: %d bytes were read", name, e.read)
		}
	}
}

func TestCatOfAnEarlyEnd(t *testing.T) {
	for _, d := range []safetensors.Dtype{safetensors.U8, safetensors.F16} {
		x := tensorOf(d, make([]byte, 4), 4/int64(d.Bits()/8))
		x.ReaderAt = bytes.NewReader(make([]byte, 3))
		if err := (&Cat{Tensor: x}).Text(io.Discard, typeset.Style{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", d, err)
		}
	}
}
