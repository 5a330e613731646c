// Elements as text.

package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
)

// partSize is the number of elements that are read at once.
const partSize = 8192

// A spelling selects between notations for numbers.
type spelling struct {
	quoted bool // NaN and infinities are strings, since JSON has no such numbers
	pairs  bool // complex numbers are [re,im]
}

// A values reads elements and formats them.
type values struct {
	spelling

	// load reads n elements from first on.
	load func(first int64, n int) error

	// text appends the i-th loaded element to b.
	text func(b []byte, i int) []byte
}

// valuesOf returns the values of t.
//
// Floats are written with the fewest digits that parse to the same float32, or float64 for F64.
// Therefore narrow floats are exact: BF16's 3.140625 does not become 3.14.
func valuesOf(t *safetensors.Tensor, s spelling) (*values, error) {
	v := &values{spelling: s}
	switch class := t.Dtype.Class(); {
	case class == safetensors.ClassFloat && t.Dtype.Bits() > 32:
		floats(v, t, 64, make([]float64, partSize))
	case class == safetensors.ClassFloat || class == safetensors.ClassScale:
		floats(v, t, 32, make([]float32, partSize))
	default:
		text := v.whole(t.Dtype)
		if text == nil {
			return nil, fmt.Errorf("tensor %q: unsupported dtype %q", t.Name, string(t.Dtype))
		}
		v.bytes(t, text)
	}
	return v, nil
}

// floats loads elements as numbers that T represents exactly.
func floats[T float32 | float64](v *values, t *safetensors.Tensor, bits int, buf []T) {
	v.load = func(first int64, n int) error {
		got, err := safetensors.DecodeAt(t, buf[:n], first)
		if got == n {
			return nil
		}
		return err
	}
	v.text = func(b []byte, i int) []byte { return v.float(b, float64(buf[i]), bits) }
}

// bytes loads the bytes of elements.
func (v *values) bytes(t *safetensors.Tensor, text func(b, element []byte) []byte) {
	size := t.Dtype.Bits() / 8
	buf := make([]byte, partSize*size)
	v.load = func(first int64, n int) error {
		part := buf[:n*size]
		got, err := t.ReadAt(part, first*int64(size))
		switch {
		case got == len(part):
			return nil
		case err == nil || errors.Is(err, io.EOF):
			return fmt.Errorf("tensor %q is truncated: %w", t.Name, io.ErrUnexpectedEOF)
		}
		return err
	}
	v.text = func(b []byte, i int) []byte { return text(b, buf[i*size:(i+1)*size]) }
}

// whole returns a formatter for elements that are not floats, or nil. 64-bit integers must not
// pass through floats, which would round them.
func (v *values) whole(d safetensors.Dtype) func(b, element []byte) []byte {
	switch d.Class() {
	case safetensors.ClassBool: // any byte but 0 is true, as in C
		return func(b, e []byte) []byte { return strconv.AppendBool(b, e[0] != 0) }
	case safetensors.ClassUnsigned:
		return func(b, e []byte) []byte { return strconv.AppendUint(b, littleEndian(e), 10) }
	case safetensors.ClassSigned:
		return func(b, e []byte) []byte {
			unused := 64 - 8*len(e)
			return strconv.AppendInt(b, int64(littleEndian(e)<<unused)>>unused, 10)
		}
	case safetensors.ClassComplex:
		return v.complex
	}
	return nil
}

// littleEndian returns an unsigned number of up to eight bytes.
func littleEndian(element []byte) uint64 {
	var b [8]byte
	copy(b[:], element)
	return binary.LittleEndian.Uint64(b[:])
}

// complex appends a complex number: [1,2] in JSON, else 1+2j as in Python.
func (v *values) complex(b, element []byte) []byte {
	re := float64(math.Float32frombits(binary.LittleEndian.Uint32(element)))
	im := float64(math.Float32frombits(binary.LittleEndian.Uint32(element[4:])))
	if v.pairs {
		b = v.float(append(b, '['), re, 32)
		b = v.float(append(b, ','), im, 32)
		return append(b, ']')
	}
	b = v.float(b, re, 32)
	if !math.Signbit(im) || math.IsNaN(im) {
		b = append(b, '+')
	}
	return append(v.float(b, im, 32), 'j')
}

// float appends x in JavaScript's notation, with an exponent only for very large or small numbers.
func (v *values) float(b []byte, x float64, bits int) []byte {
	name := ""
	switch {
	case math.IsNaN(x):
		name = "NaN"
	case math.IsInf(x, 1):
		name = "Infinity"
	case math.IsInf(x, -1):
		name = "-Infinity"
	}
	switch {
	case name != "" && v.quoted:
		return strconv.AppendQuote(b, name)
	case name != "":
		return append(b, name...)
	}
	return encode.AppendFloat(b, x, bits)
}
