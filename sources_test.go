// Tensors from all that they come from, and what every one of them must do.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors"
)

// numbered returns a tensor of U32 whose elements are 0, 1, 2 and so on.
func numbered(t testing.TB, shape ...int64) *safetensors.Tensor {
	t.Helper()
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	data := make([]uint32, n)
	for i := range data {
		data[i] = uint32(i)
	}
	tensor, err := safetensors.NewTensor("numbers", data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// raw returns a tensor put together by hand, that reads from r.
func raw(r io.ReaderAt, d safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	t := &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: "raw", Dtype: d, Shape: shape}, ReaderAt: r}
	t.Offsets.End, _ = d.Size(t.NumElems())
	return t
}

// inFile returns a tensor with the given bytes, between two others in a file.
func inFile(t testing.TB, b []byte, d safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	t.Helper()
	f, err := safetensors.NewFile(fileWith(t, b, d, shape...))
	if err != nil {
		t.Fatal(err)
	}
	tensor, err := f.Tensor("w")
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// fileWith returns a file with a tensor w of the given bytes between two more,
// and its size.
func fileWith(t testing.TB, b []byte, d safetensors.Dtype, shape ...int64) (*bytes.Reader, int64) {
	t.Helper()
	end := int64(len(b)) + 8
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{
		{Name: "before", Dtype: safetensors.U64, Offsets: safetensors.Span{End: 8}},
		{Name: "w", Dtype: d, Shape: shape, Offsets: safetensors.Span{Begin: 8, End: end}},
		{Name: "x", Dtype: safetensors.U8, Shape: []int64{3}, Offsets: safetensors.Span{Begin: end, End: end + 3}},
	}}
	file, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"...)
	file = append(file, b...)
	file = append(file, "\xbb\xbb\xbb"...)
	return bytes.NewReader(file), int64(len(file))
}

func mustSlice(t testing.TB, tensor *safetensors.Tensor, text string) *safetensors.Tensor {
	t.Helper()
	ranges, err := safetensors.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	part, err := tensor.Slice(ranges...)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

func mustBytes(t testing.TB, tensor *safetensors.Tensor) []byte {
	t.Helper()
	b, err := tensor.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkReaderAt checks that tensor is want, whatever part of it is read: all
// offsets and lengths if they are few, and else some.
func checkReaderAt(t testing.TB, tensor *safetensors.Tensor, want []byte) {
	t.Helper()
	if got := mustBytes(t, tensor); !bytes.Equal(got, want) || tensor.Size() != int64(len(want)) {
		t.Fatalf("%s %v of %d bytes: %x, want %x", tensor.Dtype, tensor.Shape, tensor.Size(), clipped(got), clipped(want))
	}
	check := func(off, n int) {
		b := make([]byte, n)
		got, err := tensor.ReadAt(b, int64(off))
		wanted := min(n, max(0, len(want)-off))
		if got != wanted || !bytes.Equal(b[:got], want[min(off, len(want)):][:got]) {
			t.Fatalf("reading %d bytes at %d gives %d: %x, want %x", n, off, got, clipped(b[:got]), clipped(want[min(off, len(want)):][:wanted]))
		}
		if ends := wanted < n; ends && err != io.EOF || !ends && err != nil {
			t.Fatalf("reading %d bytes at %d of %d: %v", n, off, len(want), err)
		}
	}
	if _, err := tensor.ReadAt(nil, -1); err == nil {
		t.Error("a negative offset is no error")
	}
	if len(want) <= 24 {
		for off := range len(want) + 3 {
			for n := range len(want) + 3 - off {
				check(off, n)
			}
		}
		return
	}
	random := rand.New(rand.NewPCG(1, uint64(len(want))))
	reads := 60
	if len(want) > 1<<12 {
		reads = 12
	}
	for range reads {
		off := random.IntN(len(want) + 2)
		check(off, random.IntN(min(len(want)+2-off, 1<<random.IntN(20))+1))
	}
}

func clipped(b []byte) []byte { return b[:min(len(b), 64)] }

func elems(shape []int64) int64 {
	return (&safetensors.TensorInfo{Shape: shape}).NumElems()
}

func binaryOf(data any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err)
	}
	return b
}

// A sparse is a source as large as one likes, of which byte i is i modulo 251.
type sparse struct{}

func (sparse) ReadAt(b []byte, off int64) (int, error) {
	for i := range b {
		b[i] = byte((off + int64(i)) % 251)
	}
	return len(b), nil
}

// An accountant is a source that writes down what it is asked for.
type accountant struct {
	io.ReaderAt
	reads []safetensors.Span
}

func (a *accountant) ReadAt(b []byte, off int64) (int, error) {
	a.reads = append(a.reads, safetensors.Span{Begin: off, End: off + int64(len(b))})
	return a.ReaderAt.ReadAt(b, off)
}

// packBits packs patterns, the first into the lowest bits.
func packBits(patterns []byte, width int) []byte {
	b := make([]byte, (len(patterns)*width+7)/8)
	for i, p := range patterns {
		at := i * width
		b[at/8] |= p << (at % 8)
		if at%8+width > 8 {
			b[at/8+1] |= p >> (8 - at%8)
		}
	}
	return b
}

// sources returns a tensor with the given bytes as each of the things that
// tensors come from.
func sources(t testing.TB, data []byte, d safetensors.Dtype, shape ...int64) []*safetensors.Tensor {
	t.Helper()
	held, err := safetensors.NewTensor("held", data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	held.Dtype, held.Shape = d, shape
	return []*safetensors.Tensor{
		inFile(t, data, d, shape...),
		held,
		raw(bytes.NewReader(data), d, shape...),
		raw(eager{data}, d, shape...),
	}
}

// An eager is a source that returns io.EOF with the last byte, as the
// contract of io.ReaderAt allows.
type eager struct{ b []byte }

func (r eager) ReadAt(b []byte, off int64) (int, error) {
	n := copy(b, r.b[min(off, int64(len(r.b))):])
	if off+int64(n) == int64(len(r.b)) {
		return n, io.EOF
	}
	return n, nil
}

// A denied is a source that cannot be read.
type denied struct{}

func (denied) ReadAt([]byte, int64) (int, error) { return 0, fs.ErrPermission }

// mustRead reads a tensor that has to be readable so.
func mustRead[T safetensors.Element](t testing.TB, tensor *safetensors.Tensor) []T {
	t.Helper()
	data, err := safetensors.Read[T](tensor)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decoded returns all of a tensor as numbers.
func decoded(t testing.TB, tensor *safetensors.Tensor) []float64 {
	t.Helper()
	data := make([]float64, tensor.NumElems())
	if n, err := safetensors.DecodeAt(tensor, data, 0); n != len(data) || err != nil {
		t.Fatalf("%d of %d, %v", n, len(data), err)
	}
	return data
}
