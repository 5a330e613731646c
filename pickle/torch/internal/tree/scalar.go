// Numbers of NumPy.

package tree

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/latin1"
)

// scalar returns the JSON text of a number of NumPy, which is pickled as scalar(dtype, bytes)
// (numpy/_core/src/multiarray/scalartypes.c.src, gentype_reduce).
func scalar(v pickle.Value) (text []byte, ok bool) {
	c, ok := v.Called()
	if !ok {
		return nil, false
	}
	switch CalledName(c) {
	case "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar":
	default:
		return nil, false
	}
	d, ok := c.Args().Item(0).Called()
	if !ok || CalledName(d) != "numpy.dtype" {
		return nil, false
	}
	code, _ := d.Args().Item(0).Str()
	state, _ := d.State()
	order, _ := state.Item(1).Str()
	b := bytesOf(c.Args().Item(1))
	if order == ">" {
		slices.Reverse(b)
	}
	return number(strings.TrimLeft(code, "<|="), b)
}

// bytesOf returns the bytes of a number, which are at most 8, or nil.
func bytesOf(v pickle.Value) []byte {
	const most = 8
	var r io.ReaderAt
	size := int64(0)
	if c, ok := v.Called(); ok && CalledName(c) == "_codecs.encode" { // of a pickle below protocol 3
		data := c.Args().Item(0).Data()
		if data == nil || data.Size() > 2*most {
			return nil
		}
		fault := func(string, ...any) error { return io.ErrUnexpectedEOF }
		text, err := latin1.New(data, fault)
		if err != nil {
			return nil
		}
		r, size = text, text.Size()
	} else if data := v.Data(); data != nil && v.Kind() == pickle.KindBytes {
		r, size = data, data.Size()
	}
	if size == 0 || size > most {
		return nil
	}
	b := make([]byte, size)
	if n, _ := r.ReadAt(b, 0); n < len(b) {
		return nil
	}
	return b
}

// number returns the JSON text of a number of a dtype such as "f8", little-endian.
func number(code string, b []byte) (text []byte, ok bool) {
	if len(code) != 2 || len(b) != int(code[1]-'0') {
		return nil, false
	}
	var bits uint64
	for i, one := range b {
		bits |= uint64(one) << (8 * i)
	}
	unused := 64 - 8*len(b)
	switch code {
	case "b1":
		return strconv.AppendBool(nil, bits != 0), true
	case "u1", "u2", "u4", "u8":
		return strconv.AppendUint(nil, bits, 10), true
	case "i1", "i2", "i4", "i8":
		return strconv.AppendInt(nil, int64(bits<<unused)>>unused, 10), true
	case "f4":
		return appendFloat(nil, float64(math.Float32frombits(uint32(bits))), 32), true
	case "f8":
		return appendFloat(nil, math.Float64frombits(bits), 64), true
	}
	return nil, false
}
