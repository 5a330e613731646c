// Elements as they are: Go's numbers as tensors, and tensors as Go's numbers.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// A round trip through a tensor, whose bytes are what encoding/binary writes.
func TestNewTensor(t *testing.T) {
	checkElement(t, safetensors.BOOL, []bool{true, false, true})
	checkElement(t, safetensors.I8, []int8{-128, 0, 127})
	checkElement(t, safetensors.U8, []uint8{0, 1, 255})
	checkElement(t, safetensors.I16, []int16{-32768, 1, 32767})
	checkElement(t, safetensors.U16, []uint16{0, 258, 65535})
	checkElement(t, safetensors.I32, []int32{math.MinInt32, 66051, math.MaxInt32})
	checkElement(t, safetensors.U32, []uint32{0, 66051, math.MaxUint32})
	checkElement(t, safetensors.I64, []int64{math.MinInt64, 1<<53 + 1, math.MaxInt64})
	checkElement(t, safetensors.U64, []uint64{0, 1<<53 + 1, math.MaxUint64})
	checkElement(t, safetensors.F32, []float32{0.1, float32(math.Copysign(0, -1)), float32(math.Inf(1))})
	checkElement(t, safetensors.F64, []float64{0.1, math.SmallestNonzeroFloat64, math.Inf(-1)})
	checkElement(t, safetensors.C64, []complex64{1 + 2i, -0.5i, 3})
}

func checkElement[T safetensors.Element](t *testing.T, d safetensors.Dtype, data []T) {
	t.Helper()
	tensor, err := safetensors.NewTensor("x", data, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if tensor.Dtype != d || tensor.ShapeString() != "[1, 3]" || tensor.Name != "x" || tensor.Offsets.Begin != 0 {
		t.Errorf("%+v, want %s [1, 3]", tensor.TensorInfo, d)
	}
	want := binaryOf(data)
	checkReaderAt(t, tensor, want)
	for _, source := range []*safetensors.Tensor{tensor, inFile(t, want, d, 3)} {
		if got := mustRead[T](t, source); !slices.Equal(got, data) {
			t.Errorf("%v, want %v", got, data)
		}
	}
	if got := mustRead[T](t, mustSlice(t, tensor, ":, ::2")); !slices.Equal(got, []T{data[0], data[2]}) {
		t.Errorf("of %v, the first and the last are %v", data, got)
	}
}

func TestNewTensorShapes(t *testing.T) {
	for _, c := range []struct {
		n     int
		shape []int64
		ok    bool
	}{
		{1, nil, true},
		{0, nil, false},
		{2, nil, false},
		{0, []int64{0}, true},
		{0, []int64{3, 0, 5}, true},
		{6, []int64{2, 3}, true},
		{6, []int64{3}, false},
		{6, []int64{-2, -3}, false},
		{0, []int64{1 << 32, 1 << 32}, false}, // the product is 0 modulo 2^64
	} {
		tensor, err := safetensors.NewTensor("x", make([]uint16, c.n), c.shape...)
		if (err == nil) != c.ok {
			t.Errorf("%d elements in shape %v: %v", c.n, c.shape, err)
		}
		if err == nil && len(mustRead[uint16](t, tensor)) != c.n {
			t.Errorf("%d elements in shape %v are not read", c.n, c.shape)
		}
		if err == nil && (tensor.Size() != int64(2*c.n) || tensor.NumElems() != int64(c.n)) {
			t.Errorf("%d elements in shape %v: %+v", c.n, c.shape, tensor.TensorInfo)
		}
	}
	_, err := safetensors.NewTensor("x", make([]int8, 5), 2, 3)
	if want := `safetensors: tensor "x": the shape [2, 3] does not have 5 elements`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The data is the caller's; the shape is not.
func TestNewTensorDoesNotCopy(t *testing.T) {
	data, shape := []uint16{1, 2}, []int64{2}
	tensor, err := safetensors.NewTensor("x", data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	data[0], shape[0] = 0x0304, 9
	if b := mustBytes(t, tensor); !bytes.Equal(b, []byte{4, 3, 2, 0}) || tensor.Shape[0] != 2 {
		t.Errorf("%x of shape %v", b, tensor.Shape)
	}
}

// goTypes says which types a dtype can be read as: its own, and the unsigned
// integer of its width.
var goTypes = map[safetensors.Dtype]string{
	safetensors.BOOL: "bool uint8", safetensors.I8: "int8 uint8", safetensors.U8: "uint8",
	safetensors.F8_E5M2: "uint8", safetensors.F8_E4M3: "uint8", safetensors.F8_E8M0: "uint8",
	safetensors.F8_E4M3FNUZ: "uint8", safetensors.F8_E5M2FNUZ: "uint8",
	safetensors.I16: "int16 uint16", safetensors.U16: "uint16", safetensors.F16: "uint16", safetensors.BF16: "uint16",
	safetensors.I32: "int32 uint32", safetensors.U32: "uint32", safetensors.F32: "float32 uint32",
	safetensors.C64: "complex64 uint64", safetensors.F64: "float64 uint64",
	safetensors.I64: "int64 uint64", safetensors.U64: "uint64",
	safetensors.F4: "", safetensors.F6_E2M3: "", safetensors.F6_E3M2: "",
}

func TestReadTypes(t *testing.T) {
	for d := range safetensors.Dtypes() {
		checkType[bool](t, d)
		checkType[int8](t, d)
		checkType[uint8](t, d)
		checkType[int16](t, d)
		checkType[uint16](t, d)
		checkType[int32](t, d)
		checkType[uint32](t, d)
		checkType[int64](t, d)
		checkType[uint64](t, d)
		checkType[float32](t, d)
		checkType[float64](t, d)
		checkType[complex64](t, d)
	}
}

func checkType[T safetensors.Element](t *testing.T, d safetensors.Dtype) {
	t.Helper()
	size, _ := d.Size(4)
	tensor := raw(bytes.NewReader(make([]byte, size)), d, 4)
	data, err := safetensors.Read[T](tensor)
	name := fmt.Sprintf("%T", *new(T))
	if want := slices.Contains(strings.Fields(goTypes[d]), name); (err == nil) != want || want && len(data) != 4 {
		t.Errorf("Read[%s] of %s: %v, %v, want one of %q", name, d, data, err, goTypes[d])
	}
}

func TestReadErrors(t *testing.T) {
	f4, bf16 := raw(bytes.NewReader(make([]byte, 2)), safetensors.F4, 4), raw(bytes.NewReader(make([]byte, 4)), safetensors.BF16, 2)
	flags := raw(bytes.NewReader([]byte{0, 1, 2}), safetensors.BOOL, 3)
	short := raw(bytes.NewReader(make([]byte, 7)), safetensors.U16, 4)
	vast := raw(bytes.NewReader(nil), safetensors.U8, 1<<60)
	for want, read := range map[string]func() error{
		`safetensors: tensor "raw" is F4 (4 bits), which cannot be read as uint8: use DecodeAt, or Bytes for the packed bytes`: func() error { _, err := safetensors.Read[uint8](f4); return err },
		`safetensors: tensor "raw" is BF16, which cannot be read as float32: read it as uint16, or as floats with DecodeAt`:    func() error { _, err := safetensors.Read[float32](bf16); return err },
		`safetensors: tensor "raw": element 2 is 2, expected a BOOL of 0 or 1: read it as uint8`:                               func() error { _, err := safetensors.Read[bool](flags); return err },
		`safetensors: the source of tensor "raw" ends at byte 7: unexpected EOF`:                                               func() error { _, err := safetensors.Read[uint16](short); return err },
		`safetensors: tensor "raw" has 1152921504606846976 bytes, too many for the memory of this machine: read it in parts`:   func() error { _, err := safetensors.Read[uint8](vast); return err },
	} {
		if err := read(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, err := safetensors.Read[uint16](short); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if got := mustRead[uint8](t, flags); !slices.Equal(got, []uint8{0, 1, 2}) {
		t.Error(got)
	}
	if got := decoded(t, flags); !slices.Equal(got, []float64{0, 1, 1}) {
		t.Error(got)
	}
}
