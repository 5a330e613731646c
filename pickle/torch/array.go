// NumPy arrays in pickles, and their dtypes.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/dtypes"
	"github.com/weightools/safetensors/pickle/internal/latin1"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// NumPy pickles an array as _reconstruct(ndarray, (0,), b"b") with a state: a version, the shape, the dtype, whether
// the order is Fortran's, and the data (numpy/core/src/multiarray/methods.c, array_reduce). Since protocol 5 it is
// _frombuffer(data, dtype, shape, order) with an order of "C" or "F", or "K" and a fifth argument, the axes of the
// transposed array.

// An arrayForm is how a function gets an array.
type arrayForm byte

const (
	noArray    arrayForm = iota
	byState              // _reconstruct
	byBuffer             // _frombuffer
	maskedForm           // of numpy.ma: an array, and a mask that hides some of its elements
)

// formOf returns how a call creates an array, noArray for any other call.
func formOf(c pickle.Result) arrayForm {
	switch tree.CalledName(c) {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		return byState
	case "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		return byBuffer
	case "numpy.ma.core._mareconstruct":
		return maskedForm
	}
	return noArray
}

// isArray reports whether a call creates an array.
func isArray(c pickle.Result) bool { return formOf(c) != noArray }

// array returns the view for an array.
func (b *builder) array(c pickle.Result) (*view, error) {
	switch formOf(c) {
	case byBuffer:
		return b.buffer(c.Args())
	case maskedForm:
		return nil, unsupportedf("a masked array: save it after filled()")
	}
	state, ok := c.State()
	if !ok {
		return nil, refuse("an array has no state")
	}
	if state.Len() < 5 {
		return nil, refuse("the state of an array has %s instead of 5", wording.Count(state.Len(), "part"))
	}
	fortran, _ := state.Item(3).Bool()
	return b.filled(state.Item(4), state.Item(2), state.Item(1), fortran)
}

// buffer returns the view for the array with the arguments of _frombuffer.
func (b *builder) buffer(args pickle.Value) (*view, error) {
	if args.Len() < 4 {
		return nil, refuse("_frombuffer needs 4 arguments, but has %d", args.Len())
	}
	order, _ := args.Item(3).Str()
	switch order {
	case "C", "F", "K":
	default:
		return nil, refuse("the order of an array is %s instead of C, F or K", tree.WhatIs(args.Item(3)))
	}
	v, err := b.filled(args.Item(0), args.Item(1), args.Item(2), order == "F")
	if err != nil || order != "K" {
		return v, err
	}
	return v, v.transpose(args.Item(4))
}

// filled returns the view for an array that consists of all the data.
func (b *builder) filled(data, dtype, sizes pickle.Value, fortran bool) (*view, error) {
	descr, err := descrOf(dtype)
	if err != nil {
		return nil, err
	}
	if !known(descr) { // the data of objects is a list
		return nil, lacking(descr)
	}
	st, err := b.arrayBytes(data)
	if err != nil {
		return nil, err
	}
	shape, err := ints(sizes, "sizes")
	if err != nil {
		return nil, err
	}
	return arrayView(st, descr, shape, fortran)
}

// transpose orders the dimensions of the view by axes, a tuple of their numbers.
func (v *view) transpose(axes pickle.Value) error {
	order, err := ints(axes, "axes")
	if err != nil {
		return err
	}
	shape, stride := make([]int64, len(v.shape)), make([]int64, len(v.shape))
	seen := make([]bool, len(v.shape))
	if len(order) != len(shape) {
		return refuse("the array has %d dimensions but %d axes", len(shape), len(order))
	}
	for i, axis := range order {
		if axis >= int64(len(shape)) || seen[axis] {
			return refuse("the axes of an array do not contain each dimension once")
		}
		seen[axis] = true
		shape[i], stride[i] = v.shape[axis], v.stride[axis]
	}
	v.shape, v.stride = shape, stride
	return nil
}

// arrayView returns the view for an array that fills a storage.
func arrayView(st *storage, descr string, shape []int64, fortran bool) (*view, error) {
	d, big, ok := dtypes.OfArray(descr)
	if !ok {
		return nil, lacking(descr)
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
// call that encodes it, or that returns no bytes.
func (b *builder) arrayBytes(v pickle.Value) (*storage, error) {
	if c, ok := v.Called(); ok {
		switch tree.CalledName(c) {
		case "_codecs.encode":
			if codec, _ := c.Args().Item(1).Str(); codec == "latin1" || codec == "latin-1" {
				return b.once(c.Args().Item(0), fromLatin1)
			}
		case "builtins.bytes":
			if c.Args().Len() == 0 {
				return &storage{key: "of an array", r: strings.NewReader("")}, nil
			}
		}
	}
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of bytes", tree.WhatIs(v))
	}
	return &storage{key: "of an array", r: data, size: data.Size()}, nil
}

// fromLatin1 returns the bytes that the characters of a str encode.
func fromLatin1(v pickle.Value) (*storage, error) {
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of a str", tree.WhatIs(v))
	}
	t, err := latin1.New(data, refuse)
	if err != nil {
		return nil, err
	}
	return &storage{key: "of an array", r: t, size: t.Size()}, nil
}
