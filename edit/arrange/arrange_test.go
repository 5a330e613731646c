// Computed tensors against element-by-element definitions.

package arrange_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
)

// counting returns a tensor of integers that count from 0.
func counting(t *testing.T, d safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	t.Helper()
	n := 1
	for _, dim := range shape {
		n *= int(dim)
	}
	if d.Bits() < 8 {
		n = n * d.Bits() / 8
	}
	width := max(1, d.Bits()/8)
	b := make([]byte, n*width)
	for i := range n {
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], uint64(i))
		copy(b[i*width:(i+1)*width], number[:])
	}
	x, err := safetensors.TensorAt("x", d, shape, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// bytesOf reads a tensor in pieces of random lengths from random places, and as a whole, which must agree.
func bytesOf(t *testing.T, x *safetensors.Tensor) []byte {
	t.Helper()
	all, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if len(all) == 0 {
			break
		}
		off := rand.IntN(len(all))
		b := make([]byte, 1+rand.IntN(len(all)-off))
		if n, err := x.ReadAt(b, int64(off)); n < len(b) || !bytes.Equal(b, all[off:off+len(b)]) {
			t.Fatalf("%d bytes at %d differ: %d, %v", len(b), off, n, err)
		}
	}
	if n, err := x.ReadAt(make([]byte, 2), x.Size()-1); err != io.EOF || n != 1 {
		t.Fatalf("at the end: %d, %v", n, err)
	}
	return all
}

func TestPermute(t *testing.T) {
	for _, d := range []safetensors.Dtype{safetensors.U8, safetensors.BF16, safetensors.F32, safetensors.F64} {
		for _, test := range []struct {
			shape []int64
			order []int
		}{
			{[]int64{3, 5}, []int{1, 0}},
			{[]int64{2, 3, 4}, []int{0, 2, 1}},
			{[]int64{2, 3, 4}, []int{2, 1, 0}},
			{[]int64{2, 3, 4}, []int{1, 2, 0}},
			{[]int64{2, 3, 4}, []int{2, 0, 1}},
			{[]int64{4, 3, 2, 5}, []int{0, 2, 3, 1}},
			{[]int64{4, 1, 2, 5}, []int{3, 1, 0, 2}},
			{[]int64{2, 2, 3, 2, 2}, []int{4, 2, 0, 3, 1}},
			{[]int64{2, 3, 40000}, []int{1, 0, 2}},
			{[]int64{700, 900}, []int{1, 0}},
			{[]int64{2, 300, 3, 401}, []int{0, 3, 2, 1}},
			{[]int64{1, 7}, []int{1, 0}},
			{[]int64{3}, []int{0}},
			{nil, nil},
		} {
			x := counting(t, d, test.shape...)
			y, err := arrange.Permute(x, test.order...)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := bytesOf(t, y), permuted(t, x, y.Shape, test.order); !bytes.Equal(got, want) {
				t.Errorf("%s %v %v differs", d, test.shape, test.order)
			}
			back := make([]int, len(test.order))
			for i, axis := range test.order {
				back[axis] = i
			}
			z, err := arrange.Permute(y, back...)
			if err != nil || !slices.Equal(z.Shape, x.Shape) || !bytes.Equal(bytesOf(t, z), bytesOf(t, x)) {
				t.Errorf("%s %v %v there and back: %v", d, test.shape, test.order, err)
			}
		}
	}
}

// permuted is the definition of Permute.
func permuted(t *testing.T, x *safetensors.Tensor, shape []int64, order []int) []byte {
	all, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	width := x.Dtype.Bits() / 8
	strides := make([]int, len(x.Shape))
	for i, n := len(strides)-1, width; i >= 0; i-- {
		strides[i] = n
		n *= int(x.Shape[i])
	}
	out := make([]byte, 0, len(all))
	index := make([]int64, len(shape))
	for len(out) < len(all) {
		at := 0
		for i, axis := range order {
			at += int(index[i]) * strides[axis]
		}
		out = append(out, all[at:at+width]...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

func TestJoinAndCut(t *testing.T) {
	a, b := counting(t, safetensors.BF16, 2, 3, 4), counting(t, safetensors.BF16, 2, 6, 4)
	x, err := arrange.Join("y", 1, a, b)
	if err != nil || x.Name != "y" || !slices.Equal(x.Shape, []int64{2, 9, 4}) {
		t.Fatal(x, err)
	}
	one, two := bytesOf(t, a), bytesOf(t, b)
	want := slices.Concat(one[:24], two[:48], one[24:], two[48:])
	if got := bytesOf(t, x); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	parts, err := arrange.Cut(x, 1, 1, 2)
	if err != nil || !bytes.Equal(bytesOf(t, parts[0]), one) || !bytes.Equal(bytesOf(t, parts[1]), two) {
		t.Error(parts, err)
	}
	for _, axis := range []int{3, -4} {
		if _, err := arrange.Join("y", axis, a); err == nil {
			t.Errorf("axis %d", axis)
		}
	}
	if _, err := arrange.Join("y", 0, a, b); err == nil || !strings.Contains(err.Error(), "cannot be joined along axis 0") {
		t.Error(err)
	}
	if _, err := arrange.Cut(x, 1, 1, 1); err == nil || !strings.Contains(err.Error(), "cannot be cut in the proportions") {
		t.Error(err)
	}
}

func TestStack(t *testing.T) {
	a, b := counting(t, safetensors.F4, 2, 8), counting(t, safetensors.F4, 2, 8)
	x, err := arrange.Stack("y", a, b)
	if err != nil || !slices.Equal(x.Shape, []int64{2, 2, 8}) {
		t.Fatal(x, err)
	}
	rows, err := arrange.Unstack(x)
	if err != nil || len(rows) != 2 || !bytes.Equal(bytesOf(t, rows[1]), bytesOf(t, b)) {
		t.Error(rows, err)
	}
}

// The rows that transformers' convert_llama_weights_to_hf.py moves: w.view(heads, d/2, 2, in).transpose(1, 2).
func TestPairsAndHalves(t *testing.T) {
	x := counting(t, safetensors.I64, 8) // two heads of four rows
	pairs, err := arrange.Pairs(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbers(t, pairs); !slices.Equal(got, []int64{0, 2, 1, 3, 4, 6, 5, 7}) {
		t.Error(got)
	}
	wide := counting(t, safetensors.I64, 12, 3)
	there, err := arrange.Halves(wide, 2)
	if err != nil || numbers(t, there)[3] != 6 { // row 1 is the first of the second pair
		t.Error(numbers(t, there), err)
	}
	back, err := arrange.Pairs(there, 2)
	if err != nil || !bytes.Equal(bytesOf(t, back), bytesOf(t, wide)) {
		t.Error(err)
	}
	if _, err := arrange.Pairs(x, 8); err == nil {
		t.Error("heads of one row")
	}
}

func TestGroups(t *testing.T) {
	q, k := counting(t, safetensors.I64, 4, 1), counting(t, safetensors.I64, 2, 1)
	x, err := arrange.JoinGroups("qk", 2, q, k)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbers(t, x); !slices.Equal(got, []int64{0, 1, 0, 2, 3, 1}) || !slices.Equal(x.Shape, []int64{6, 1}) {
		t.Error(got, x.Shape)
	}
	parts, err := arrange.CutGroups(x, 2, 2, 1)
	if err != nil || !slices.Equal(numbers(t, parts[0]), []int64{0, 1, 2, 3}) || !slices.Equal(numbers(t, parts[1]), []int64{0, 1}) {
		t.Error(err)
	}
	swapped, err := arrange.SwapHalves(q)
	if err != nil || !slices.Equal(numbers(t, swapped), []int64{2, 3, 0, 1}) {
		t.Error(err)
	}
}

// numbers returns the elements of a tensor of integers.
func numbers(t *testing.T, x *safetensors.Tensor) []int64 {
	b := bytesOf(t, x)
	n := make([]int64, len(b)/8)
	for i := range n {
		n[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return n
}

func TestReshape(t *testing.T) {
	x := counting(t, safetensors.F32, 2, 6)
	for _, shape := range [][]int64{{3, 4}, {-1}, {2, -1, 3}, {12, 1}} {
		if y, err := arrange.Reshape(x, shape...); err != nil || y.NumElems() != 12 {
			t.Error(shape, y, err)
		}
	}
	for _, shape := range [][]int64{{3}, {-1, -1}, {5, -1}, {-2, 6}, {0, -1}, {1 << 62, 1 << 62}, {}} {
		if y, err := arrange.Reshape(x, shape...); err == nil {
			t.Error(shape, y)
		}
	}
}

// A packed dtype moves as long as its elements fill bytes.
func TestNarrow(t *testing.T) {
	x := counting(t, safetensors.F4, 2, 2, 8)
	if _, err := arrange.Permute(x, 1, 0, 2); err != nil {
		t.Error(err)
	}
	if _, err := arrange.Permute(x, 0, 2, 1); err == nil || !strings.Contains(err.Error(), "narrower than a byte") {
		t.Error(err)
	}
}

// A source that ends early is an error, and not zeros.
func TestTruncated(t *testing.T) {
	x, err := safetensors.TensorAt("x", safetensors.F32, []int64{4, 4}, bytes.NewReader(make([]byte, 40)))
	if err != nil {
		t.Fatal(err)
	}
	y, err := arrange.Transpose(x, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := y.Bytes(); err == nil {
		t.Error("no error")
	}
	if y, err = arrange.Join("y", 1, x, x); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Bytes(); err == nil {
		t.Error("no error")
	}
}
