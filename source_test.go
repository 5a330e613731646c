// Tensors made of readers.

package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/weightools/safetensors"
)

func TestTensorAt(t *testing.T) {
	shape := []int64{2, 2}
	tensor, err := safetensors.TensorAt("w", safetensors.BF16, shape, bytes.NewReader([]byte{0x80, 0x3f, 0, 0x40, 0x40, 0x40, 0x80, 0x40}))
	if err != nil {
		t.Fatal(err)
	}
	shape[0] = 7 // the tensor has a copy
	values := make([]float32, 4)
	if n, err := safetensors.DecodeAt(tensor, values, 0); n != 4 || err != nil || values[3] != 4 || tensor.ShapeString() != "[2, 2]" {
		t.Errorf("%v %v, %d, %v", tensor.ShapeString(), values, n, err)
	}
	empty, err := safetensors.TensorAt("e", safetensors.F4, []int64{0, 7}, nil)
	if err != nil || empty.Size() != 0 {
		t.Errorf("%v, %v", empty, err)
	}
}

func TestTensorAtErrors(t *testing.T) {
	for _, c := range []struct {
		dtype safetensors.Dtype
		shape []int64
		want  string
	}{
		{"FP16", nil, `safetensors: tensor "w": unknown dtype "FP16"`},
		{"", nil, `safetensors: tensor "w": unknown dtype ""`},
		{safetensors.F4, []int64{3}, `safetensors: tensor "w": the elements of F4 [3] do not fill whole bytes`},
		{safetensors.U8, []int64{1 << 40, 1 << 40}, `safetensors: tensor "w": the number of elements of shape [1099511627776, 1099511627776] overflows 64 bits`},
		{safetensors.U64, []int64{math.MaxInt64}, `safetensors: tensor "w": the elements of U64 [9223372036854775807] take more than 64 bits can count`},
	} {
		if tensor, err := safetensors.TensorAt("w", c.dtype, c.shape, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s %v: %v, %v, want %s", c.dtype, c.shape, tensor, err, c.want)
		}
	}
}

// A tensor of a reader is written without being held in memory, whatever pieces
// the reader returns.
func TestTensorFrom(t *testing.T) {
	data := strings.Repeat("0123456789abcdef", 100_000)
	for name, r := range map[string]io.Reader{
		"whole":       strings.NewReader(data),
		"in halves":   iotest.HalfReader(strings.NewReader(data)),
		"early error": iotest.DataErrReader(strings.NewReader(data)),
	} {
		a, err := safetensors.TensorFrom("a", safetensors.U8, []int64{1_000_000}, r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := safetensors.TensorFrom("b", safetensors.U16, []int64{300_000}, r)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := (&safetensors.Encoder{KeepOrder: true}).Encode(&file, a, b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := file.Bytes(); string(got[len(got)-len(data):]) != data {
			t.Errorf("%s: the data is not that of the reader", name)
		}
		if err := safetensors.Encode(io.Discard, a); err == nil || !strings.Contains(err.Error(), `"a" can be read once, in order`) {
			t.Errorf("%s: read twice: %v", name, err)
		}
	}
}

func TestTensorFromShortReader(t *testing.T) {
	tensor, err := safetensors.TensorFrom("w", safetensors.U8, []int64{100}, strings.NewReader("short"))
	if err != nil {
		t.Fatal(err)
	}
	if err := safetensors.Encode(io.Discard, tensor); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
	}
	boom := errors.New("boom")
	tensor, err = safetensors.TensorFrom("w", safetensors.U8, []int64{100}, iotest.ErrReader(boom))
	if err != nil {
		t.Fatal(err)
	}
	if err := safetensors.Encode(io.Discard, tensor); !errors.Is(err, boom) {
		t.Errorf("%v, want %v", err, boom)
	}
}
