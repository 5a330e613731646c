// The size of an array from the state of its wrapper.

// Package joblib reads the wrappers that joblib writes in front of the raw data of arrays.
package joblib

import (
	"strconv"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// An Array describes the data that follows a NumpyArrayWrapper.
type Array struct {
	Bytes   int64 // size of the data
	Objects bool  // the elements are Python objects
	Aligned bool  // a byte with the length of the padding comes first
	Known   bool  // Bytes is valid
}

// Of parses the state of a NumpyArrayWrapper.
func Of(state heap.Value) Array {
	w := Array{Bytes: 1, Known: true}
	known := false
	for key, value := range state.Pairs() {
		switch name, _ := key.Str(); name {
		case "shape":
			for item := range value.Items() {
				n, ok := item.Int()
				w.multiply(n, ok)
			}
		case "dtype":
			n, objects, ok := itemSize(value)
			w.Objects, known = objects, true
			w.multiply(n, ok)
		case "numpy_array_alignment_bytes":
			w.Aligned = !value.IsNone()
		}
	}
	w.Known = w.Known && known
	return w
}

// multiply multiplies the size by a dimension. An invalid one makes the size unknown.
func (w *Array) multiply(n int64, ok bool) {
	const most = 1 << 46 // bytes: larger than any file, and small enough that products do not overflow
	if !ok || n < 0 || n > most || n > 0 && w.Bytes > most/n {
		w.Known = false
		return
	}
	w.Bytes *= n
}

// itemSize returns the size of an element of numpy.dtype("f8", ...).
func itemSize(dtype heap.Value) (size int64, objects, ok bool) {
	c, called := dtype.Called()
	code, isStr := firstStr(c, called)
	if !isStr || code == "" {
		return 0, false, false
	}
	for len(code) > 0 && (code[0] == '<' || code[0] == '>' || code[0] == '|' || code[0] == '=') {
		code = code[1:]
	}
	if code == "" || code[0] == 'O' {
		return 0, code != "", code != ""
	}
	digits := code[1:]
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' { // M8[ns]
			digits = digits[:i]
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if code[0] == 'U' {
		n *= 4
	}
	if code[0] == 'V' { // a structured type, whose fields may be objects
		state, _ := c.State()
		objects = hasObjects(state)
	}
	return n, objects, err == nil
}

// hasObjects reports whether the state of a dtype has the flag NPY_ITEM_HASOBJECT, bit 0 of the last member.
func hasObjects(state heap.Value) bool {
	flags, ok := state.Item(7).Int()
	return ok && flags&1 != 0
}

// firstStr returns the first argument of a call if it is a str.
func firstStr(c heap.Result, called bool) (string, bool) {
	if !called {
		return "", false
	}
	return c.Args().Item(0).Str()
}
