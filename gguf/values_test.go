package gguf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

func open(t *testing.T, b []byte) *gguf.File {
	t.Helper()
	f, err := gguf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// q8 returns two blocks of Q8_0: the scales are 0.5 (F16 0x3800) and 2 (0x4000), and the values 0 to 31 and 0 to -31.
func q8(order binary.AppendByteOrder) []byte {
	b := order.AppendUint16(nil, 0x3800)
	for i := range 32 {
		b = append(b, byte(i))
	}
	b = order.AppendUint16(b, 0x4000)
	for i := range 32 {
		b = append(b, byte(-i))
	}
	return b
}

func TestTensor(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		b := newBuild()
		b.order = order
		b.text("general.architecture", "llama").number("general.quantization_version", 2)
		b.tensor("q", 8, q8(order), 32, 2)
		b.tensor("f", 1, order.AppendUint16(order.AppendUint16(nil, 0x3c00), 0xc000), 2)
		f := open(t, b.bytes())
		if f.BigEndian != (order == binary.AppendByteOrder(binary.BigEndian)) {
			t.Errorf("big-endian: %v", f.BigEndian)
		}
		q, err := f.Tensor(&f.Tensors[0])
		if err != nil {
			t.Fatal(err)
		}
		if q.Dtype != safetensors.F32 || !slices.Equal(q.Shape, []int64{2, 32}) || q.Size() != 256 {
			t.Errorf("the tensor is %v", q.TensorInfo)
		}
		var want []float32
		for i := range 32 {
			want = append(want, 0.5*float32(i))
		}
		for i := range 32 {
			want = append(want, -2*float32(i))
		}
		want[32] = 0 // not -0: 2 times the integer 0
		if got := floats(t, f, &f.Tensors[0]); !slices.Equal(got, want) {
			t.Errorf("the values are %v, want %v", got, want)
		}
		part, err := q.Slice(safetensors.At(1), safetensors.Between(3, 5))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := safetensors.Read[float32](part); err != nil || !slices.Equal(got, []float32{-6, -8}) {
			t.Errorf("the slice is %v, %v", got, err)
		}
		if got := floats(t, f, &f.Tensors[1]); !slices.Equal(got, []float32{1, -2}) {
			t.Errorf("F16 is %v", got)
		}
		everywhere(t, q)
		h, _ := f.Tensor(&f.Tensors[1])
		everywhere(t, h)
	}
}

// everywhere reads each part of a tensor, and compares it with the whole.
func everywhere(t *testing.T, tensor *safetensors.Tensor) {
	t.Helper()
	whole, err := tensor.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for begin := range whole {
		for end := begin; end <= len(whole); end++ {
			part := make([]byte, end-begin)
			if n, err := tensor.ReadAt(part,
				int64(begin)); n != len(part) || err != nil && err != io.EOF || !bytes.Equal(part, whole[begin:end]) {
				t.Fatalf("bytes %d to %d: %x, %d, %v", begin, end, part, n, err)
			}
		}
	}
	over := make([]byte, len(whole)+5)
	if n, err := tensor.ReadAt(over, 1); n != len(whole)-1 || err != io.EOF {
		t.Errorf("reading beyond the end: %d, %v", n, err)
	}
}

// Bytes that are not aligned as floats are.
func TestUnaligned(t *testing.T) {
	f := open(t, newBuild().text("general.architecture", "llama").tensor("q", 8, q8(binary.LittleEndian), 64).bytes())
	q, err := f.Tensor(&f.Tensors[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := q.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for shift := range 4 {
		got := make([]byte, shift+len(want))[shift:]
		if _, err := q.ReadAt(got, 0); err != nil && err != io.EOF || !bytes.Equal(got, want) {
			t.Errorf("at an address shifted by %d: %x, %v", shift, got, err)
		}
	}
}

func TestUnknownType(t *testing.T) {
	b := newBuild().text("general.architecture", "llama").tensor("x", 138, make([]byte, 110), 256).tensor("a", 0,
		make([]byte, 4), 1)
	f := open(t, b.bytes())
	if _, err := f.Tensor(&f.Tensors[0]); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the error is %v", err)
	}
	if n := f.Stored(&f.Tensors[0]).Size(); n != 128 { // up to the next tensor
		t.Errorf("it takes %d bytes", n)
	}
	if got := floats(t, f, &f.Tensors[1]); !slices.Equal(got, []float32{0}) {
		t.Errorf("the other tensor is %v", got)
	}
}

func TestMetadata(t *testing.T) {
	b := newBuild()
	b.text("general.architecture", "llama").key("i", 5, b.u32(math.MaxUint32)).key("f", 6, b.u32(math.Float32bits(1.5)))
	b.key("t", 7, []byte{1}).list("s", 8, 2, b.str("a"), b.str("bc")).list("n", 4, 2, b.u32(7), b.u32(9))
	b.text("long", string(bytes.Repeat([]byte("x"), 5000)))
	f := open(t, b.bytes())
	i, _ := f.Find("i")
	if n, ok := i.Int(); n != -1 || !ok {
		t.Errorf("i is %d, %v", n, ok)
	}
	if n, ok := i.Uint(); ok {
		t.Errorf("i is %d as an unsigned number", n)
	}
	x, _ := f.Find("f")
	if v, ok := x.Float(); v != 1.5 || !ok {
		t.Errorf("f is %v, %v", v, ok)
	}
	y, _ := f.Find("t")
	if v, ok := y.Bool(); !v || !ok {
		t.Errorf("t is %v, %v", v, ok)
	}
	var texts []string
	array, _ := f.Find("s")
	for v, err := range f.Elements(array) {
		s, ok := v.Short()
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		texts = append(texts, s)
	}
	if !slices.Equal(texts, []string{"a", "bc"}) {
		t.Errorf("s is %q", texts)
	}
	var numbers []uint64
	array, _ = f.Find("n")
	for v := range f.Elements(array) {
		n, _ := v.Uint()
		numbers = append(numbers, n)
	}
	if !slices.Equal(numbers, []uint64{7, 9}) {
		t.Errorf("n is %v", numbers)
	}
	long, _ := f.Find("long")
	if text, err := f.Text(long, 1<<20); len(text) != 5000 || err != nil {
		t.Errorf("long has %d bytes, %v", len(text), err)
	}
	if _, err := f.Text(long, 100); err == nil {
		t.Error("a text longer than the limit is returned")
	}
	if f.Architecture() != "llama" {
		t.Errorf("the architecture is %q", f.Architecture())
	}
}

// A file of a few bytes or with an endless array must not take memory.
func TestBounded(t *testing.T) {
	b := newBuild().text("general.architecture", "llama")
	b.list("k", 9, 200_000, bytes.Repeat(join(b.u32(0), b.u64(0)), 200_000))
	file := b.bytes()
	if n := testing.AllocsPerRun(1, func() { validate(t, file) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
}
