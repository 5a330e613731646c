// NumPy arrays in pickles, and their dtypes.

package torch

import (
	"bufio"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// NumPy pickles an array as _reconstruct(ndarray, (0,), b"b") with a state: a version, the shape, the dtype, whether
// the order is Fortran's, and the data (numpy/core/src/multiarray/methods.c, array_reduce). A dtype is dtype("f4",
// False, True), with the byte order as the second item of its state.

// isArray reports whether a call creates an array.
func isArray(c pickle.Result) bool {
	switch tree.CalledName(c) {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		_, dtype := arrayDtype(c)
		return dtype != ""
	}
	return false
}

// arrayDtype returns the state of an array and its dtype in the form of a header, or "" if safetensors lacks the dtype.
func arrayDtype(c pickle.Result) (state pickle.Value, dtype string) {
	state, _ = c.State()
	d, ok := state.Item(2).Called()
	if !ok || tree.CalledName(d) != "numpy.dtype" {
		return state, ""
	}
	code, _ := d.Args().Item(0).Str()
	ds, _ := d.State()
	order, _ := ds.Item(1).Str()
	if _, ok := arrayDtypes[code]; !ok {
		return state, ""
	}
	return state, order + code
}

// arrayDtypes are the NumPy dtypes that safetensors has, without byte order.
var arrayDtypes = map[string]safetensors.Dtype{
	"b1": safetensors.BOOL, "?": safetensors.BOOL, "u1": safetensors.U8, "i1": safetensors.I8,
	"u2": safetensors.U16, "i2": safetensors.I16, "f2": safetensors.F16,
	"u4": safetensors.U32, "i4": safetensors.I32, "f4": safetensors.F32,
	"u8": safetensors.U64, "i8": safetensors.I64, "f8": safetensors.F64, "c8": safetensors.C64,
}

// npyDtype parses a dtype such as "<f4"; big reports whether it is big-endian.
func npyDtype(descr string) (d safetensors.Dtype, big, ok bool) {
	d, ok = arrayDtypes[strings.TrimLeft(descr, "<>|=")]
	return d, strings.HasPrefix(descr, ">"), ok && len(strings.TrimLeft(descr, "<>|=")) >= len(descr)-1
}

// array returns the view for an array.
func (b *builder) array(c pickle.Result) (*view, error) {
	state, descr := arrayDtype(c)
	if state.Len() < 5 {
		return nil, refuse("the state of an array has %s instead of 5", wording.Count(state.Len(), "part"))
	}
	fortran, _ := state.Item(3).Bool()
	st, err := b.arrayBytes(state.Item(4))
	if err != nil {
		return nil, err
	}
	shape, err := ints(state.Item(1), "sizes")
	if err != nil {
		return nil, err
	}
	return arrayView(st, descr, shape, fortran)
}

// arrayView returns the view for an array that fills a storage.
func arrayView(st *storage, descr string, shape []int64, fortran bool) (*view, error) {
	d, big, ok := npyDtype(descr)
	if !ok {
		return nil, unsupportedf("an array with dtype %s, which safetensors lacks", quoted(descr))
	}
	own := *st // other arrays may use the storage, too
	own.big, own.root = big, st.whole()
	v := &view{storage: &own, dtype: d, shape: shape, stride: make([]int64, len(shape))}
	step := int64(1)
	for i := range shape {
		axis := len(shape) - 1 - i
		if fortran {
			axis = i
		}
		v.stride[axis] = step
		var fits bool
		if step, fits = product(step, max(shape[axis], 1)); !fits {
			return nil, refuse("the number of elements overflows 63 bits")
		}
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	if v.size() != st.size {
		return nil, refuse("the shape needs %s, but there are %s",
			wording.Count(v.size(), "byte"), wording.Count(st.size, "byte"))
	}
	return v, nil
}

// arrayBytes returns the data of an array. Protocols below 3 store it as a str: Python 2 as it is, Python 3 through a
// call that encodes it.
func (b *builder) arrayBytes(v pickle.Value) (*storage, error) {
	if c, ok := v.Called(); ok && tree.CalledName(c) == "_codecs.encode" {
		if codec, _ := c.Args().Item(1).Str(); codec == "latin1" || codec == "latin-1" {
			return b.once(c.Args().Item(0), latin1)
		}
	}
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of bytes", tree.WhatIs(v))
	}
	return &storage{key: "of an array", r: data, size: data.Size()}, nil
}

// latin1 returns the bytes that the characters of a str encode.
func latin1(v pickle.Value) (*storage, error) {
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of a str", tree.WhatIs(v))
	}
	open := func() (io.Reader, error) {
		return &latin1Reader{bufio.NewReader(io.NewSectionReader(data, 0, data.Size()))}, nil
	}
	r, _ := open()
	size, err := io.Copy(io.Discard, r)
	if err != nil {
		return nil, err
	}
	bytes := sequential("an array", size, open)
	return &storage{key: "of an array", r: bytes, size: size, unpacked: true}, nil
}

// A latin1Reader converts UTF-8 text to Latin-1.
type latin1Reader struct{ text *bufio.Reader }

// Read implements io.Reader.
func (l *latin1Reader) Read(b []byte) (n int, err error) {
	for n < len(b) {
		c, _, err := l.text.ReadRune()
		if err != nil {
			return n, err
		}
		if c > 0xff {
			return n, refuse("the data of an array contains the character %U, which is not a byte", c)
		}
		b[n] = byte(c)
		n++
	}
	return n, nil
}
