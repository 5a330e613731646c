// Elements as numbers: of every dtype, from any element on.

package safetensors_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors"
)

// testdata/manifest.json has the numbers that NumPy and ml_dtypes made of small
// tensors. Those of C64 are pairs, which Read gives.
func TestDecodeAsNumPyDoes(t *testing.T) {
	b, err := os.ReadFile("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Files []struct {
			Path    string
			Tensors []struct {
				Name   string
				Values []json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	seen := map[safetensors.Dtype]int{}
	for _, file := range manifest.Files {
		f, err := safetensors.Open(filepath.Join("testdata", filepath.FromSlash(file.Path)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, want := range file.Tensors {
			tensor, err := f.Tensor(want.Name)
			if err != nil {
				t.Fatal(err)
			}
			if want.Values != nil {
				checkValues(t, tensor, want.Values)
				seen[tensor.Dtype] += len(want.Values)
			}
		}
	}
	for d := range safetensors.Dtypes() {
		if seen[d] == 0 {
			t.Errorf("no values of %s", d)
		}
	}
}

func checkValues(t *testing.T, tensor *safetensors.Tensor, values []json.RawMessage) {
	t.Helper()
	var got, want []float64
	for _, v := range values {
		want = append(want, numbersIn(t, v)...)
	}
	switch tensor.Dtype {
	case safetensors.I64:
		compareExactly(t, tensor.Name, mustRead[int64](t, tensor), values)
	case safetensors.U64:
		compareExactly(t, tensor.Name, mustRead[uint64](t, tensor), values)
	case safetensors.C64:
		for _, c := range mustRead[complex64](t, tensor) {
			got = append(got, float64(real(c)), float64(imag(c)))
		}
	}
	if got == nil {
		got = decoded(t, tensor)
	}
	same := func(a, b float64) bool {
		return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%s %q is %v, want %v", tensor.Dtype, tensor.Name, got, want)
	}
}

// numbersIn returns what a value of the manifest stands for: two numbers, if it
// is complex.
func numbersIn(t *testing.T, value json.RawMessage) []float64 {
	t.Helper()
	switch string(value) {
	case "true":
		return []float64{1}
	case "false":
		return []float64{0}
	}
	var pair [2]json.RawMessage
	if json.Unmarshal(value, &pair) == nil {
		return append(numbersIn(t, pair[0]), numbersIn(t, pair[1])...)
	}
	x, err := strconv.ParseFloat(strings.Trim(string(value), `"`), 64)
	if err != nil {
		t.Fatal(err)
	}
	return []float64{x}
}

// compareExactly compares as text, which has all digits.
func compareExactly[T int64 | uint64](t *testing.T, name string, got []T, want []json.RawMessage) {
	t.Helper()
	same := func(v T, text json.RawMessage) bool { return fmt.Sprint(v) == string(text) }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%q is %d, want %s", name, got, want)
	}
}

// Known patterns, worked out by hand: 0x4049 as a BF16 is 0x40490000 as a
// float32, 2 x (1 + 0x490000/0x800000) = 2 x 1.5703125.
func TestDecodeKnownPatterns(t *testing.T) {
	for _, c := range []struct {
		dtype safetensors.Dtype
		bytes []byte
		want  []float64
	}{
		{safetensors.BF16, []byte{0x80, 0x3f, 0x49, 0x40, 0xc0, 0xbf}, []float64{1, 3.140625, -1.5}},
		{safetensors.F16, []byte{0x48, 0x42}, []float64{3.140625}},
		{safetensors.BF16, []byte{0x48, 0x42}, []float64{50}},
		{safetensors.F4, []byte{0x21, 0xf7}, []float64{0.5, 1, 6, -6}},
		{safetensors.F8_E8M0, []byte{127, 128, 0, 254}, []float64{1, 2, math.Ldexp(1, -127), math.Ldexp(1, 127)}},
		{safetensors.F8_E4M3, []byte{0x38, 0x7e, 0x01}, []float64{1, 448, math.Ldexp(1, -9)}},
		{safetensors.BOOL, []byte{0, 1, 7}, []float64{0, 1, 1}},
		// 2^53 + 1 and 2^53 + 3 lie between two float64 each, and go to the even one.
		{safetensors.I64, binaryOf([]int64{1<<53 + 1, 1<<53 + 3, -1 << 63}), []float64{1 << 53, 1<<53 + 4, -1 << 63}},
		{safetensors.U64, binaryOf([]uint64{math.MaxUint64}), []float64{1 << 64}},
		{safetensors.F64, binaryOf([]float64{0.1, math.MaxFloat64}), []float64{0.1, math.MaxFloat64}},
	} {
		tensor := raw(bytes.NewReader(c.bytes), c.dtype, int64(len(c.want)))
		if got := decoded(t, tensor); !slices.Equal(got, c.want) {
			t.Errorf("%s %x is %v, want %v", c.dtype, c.bytes, got, c.want)
		}
	}
	// 2^62 + 2^38 + 1 is just above the middle of two float32, 2^39 apart. By way
	// of a float64 it would be the middle, and go to the even one below.
	var x [1]float32
	tensor := raw(bytes.NewReader(binaryOf([]int64{1<<62 + 1<<38 + 1})), safetensors.I64, 1)
	if _, err := safetensors.DecodeAt(tensor, x[:], 0); err != nil || x[0] != 1<<62+1<<39 {
		t.Errorf("%v, %v, want 2^62 + 2^39", x, err)
	}
}

// A file of 1024 x 256 F32, the element at [row][column] being its number in
// thousandths. With 72 bytes of header, row 700 begins at byte
// 8 + 72 + 700 x 256 x 4 = 716,880.
func TestRowOfFile(t *testing.T) {
	data := make([]float32, 1024*256)
	for i := range data {
		data[i] = float32(float64(i) / 1000)
	}
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{
		Name: "table", Dtype: safetensors.F32, Shape: []int64{1024, 256}, Offsets: safetensors.Span{End: 1 << 20}}}}
	file, err := h.AppendBinary(nil)
	if err != nil || len(file) != 80 {
		t.Fatalf("%d bytes, %v", len(file), err)
	}
	file = append(file, binaryOf(data)...)
	source := &accountant{ReaderAt: bytes.NewReader(file)}
	f, err := safetensors.NewFile(source, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	tensor, err := f.Tensor("table")
	if err != nil {
		t.Fatal(err)
	}
	row, err := tensor.Slice(safetensors.At(700))
	if err != nil {
		t.Fatal(err)
	}
	source.reads = nil
	got := mustRead[float32](t, row)
	if want := []safetensors.Span{{Begin: 716_880, End: 716_880 + 1024}}; !slices.Equal(source.reads, want) {
		t.Errorf("reads %v, want %v", source.reads, want)
	}
	for i, x := range got {
		if text, want := fmt.Sprintf("%.3f", x), fmt.Sprintf("179.%03d", 200+i); text != want {
			t.Errorf("column %d is %s, want %s", i, text, want)
		}
	}
	if first, last := fmt.Sprintf("%.3f", got[0]), fmt.Sprintf("%.3f", got[255]); first != "179.200" || last != "179.455" {
		t.Errorf("from %s to %s", first, last)
	}
}

// DecodeAt is to numbers what io.ReaderAt is to bytes.
func TestDecodeAtAnyOffset(t *testing.T) {
	for d := range safetensors.Dtypes() {
		if d == safetensors.C64 {
			continue
		}
		size, _ := d.Size(12)
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(37 * i)
		}
		for _, tensor := range sources(t, data, d, 12) {
			checkDecodeAt[float32](t, tensor)
			checkDecodeAt[float64](t, tensor)
		}
	}
}

// checkDecodeAt compares each part of a tensor with one reading of the whole.
func checkDecodeAt[T float32 | float64](t *testing.T, tensor *safetensors.Tensor) {
	t.Helper()
	size := tensor.NumElems()
	all := make([]T, size)
	if n, err := safetensors.DecodeAt(tensor, all, 0); int64(n) != size || err != nil {
		t.Fatalf("%s: %d, %v", tensor.Dtype, n, err)
	}
	same := func(a, b T) bool { return a == b || a != a && b != b }
	for off := range size + 2 {
		for n := range size + 3 - off {
			dst := make([]T, n)
			got, err := safetensors.DecodeAt(tensor, dst, off)
			want := min(n, max(0, size-off))
			if int64(got) != want || !slices.EqualFunc(dst[:got], all[min(off, size):][:want], same) {
				t.Fatalf("%s, %d from %d on: %v, want %v", tensor.Dtype, n, off, dst[:got], all[min(off, size):][:want])
			}
			if want < n && err != io.EOF || want == n && err != nil {
				t.Fatalf("%s, %d from %d on of %d: %v", tensor.Dtype, n, off, size, err)
			}
		}
	}
}

func TestDecodeAtErrors(t *testing.T) {
	var dst [9]float32
	c64 := raw(bytes.NewReader(make([]byte, 8)), safetensors.C64, 1)
	if _, err := safetensors.DecodeAt(c64, dst[:], 0); err == nil || !strings.Contains(err.Error(), "use Read[complex64]") {
		t.Error(err)
	}
	if _, err := safetensors.DecodeAt(numbered(t, 2), dst[:], -1); err == nil || !strings.Contains(err.Error(), "negative element -1") {
		t.Error(err)
	}
	// Of 9 elements, the source has so many whole ones.
	for _, c := range []struct {
		dtype safetensors.Dtype
		bytes int
		off   int64
		want  int
	}{
		{safetensors.F32, 35, 0, 8},
		{safetensors.F32, 35, 8, 0},
		{safetensors.BF16, 11, 1, 4},
		{safetensors.F4, 3, 1, 5},
		{safetensors.F6_E2M3, 7, 3, 5},
		{safetensors.F6_E2M3, 2, 3, 0},
	} {
		tensor := raw(bytes.NewReader(make([]byte, c.bytes)), c.dtype, 12)
		if n, err := safetensors.DecodeAt(tensor, dst[:], c.off); n != c.want || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s from %d on: %d, %v, want %d", c.dtype, c.off, n, err, c.want)
		}
	}
	failing := raw(denied{}, safetensors.BF16, 3)
	if n, err := safetensors.DecodeAt(failing, dst[:], 0); n != 0 || !errors.Is(err, fs.ErrPermission) {
		t.Error(n, err)
	}
}

// More than a buffer, by several goroutines, each with a part of its own.
func TestDecodeAtInParallel(t *testing.T) {
	const n, part = 1 << 20, 1 << 17
	data := make([]byte, n/4*3)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	tensor := raw(bytes.NewReader(data), safetensors.F6_E3M2, n)
	got := make([]float32, n)
	var group sync.WaitGroup
	for off := int64(0); off < n; off += part {
		group.Go(func() {
			if k, err := safetensors.DecodeAt(tensor, got[off:off+part], off); k != part || err != nil {
				t.Error(k, err)
			}
		})
	}
	group.Wait()
	var one [1]float32
	for i := int64(0); i < n; i += 4099 {
		if _, err := safetensors.DecodeAt(tensor, one[:], i); err != nil || got[i] != one[0] {
			t.Fatalf("element %d is %v, want %v (%v)", i, got[i], one[0], err)
		}
	}
}

// Decoding takes its buffers from a pool: none of its own for each call.
func TestDecodeAtAllocates(t *testing.T) {
	tensor := raw(bytes.NewReader(make([]byte, 1<<16)), safetensors.BF16, 1<<15)
	dst := make([]float32, 1<<15)
	if n := testing.AllocsPerRun(20, func() { safetensors.DecodeAt(tensor, dst, 0) }); n > 1 {
		t.Errorf("%v allocations for each call", n)
	}
}
