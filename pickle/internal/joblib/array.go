// Arrays: how many bytes of one stand between the instructions.

// Package joblib reads what joblib's wrapper of an array says of it.
package joblib

import (
	"strconv"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// An Array is what a NumpyArrayWrapper says of its array.
type Array struct {
	Bytes   int64 // how many it has
	Objects bool  // whether the elements are objects
	Aligned bool  // whether a byte comes first that says how many follow before the data
	Known   bool  // whether the number of bytes could be told
}

// Of reads the state of a NumpyArrayWrapper.
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

// multiply makes the array n times as large, unless n is no size.
func (w *Array) multiply(n int64, ok bool) {
	const most = 1 << 46 // bytes: no file is larger, and no product overflows
	if !ok || n < 0 || n > most || n > 0 && w.Bytes > most/n {
		w.Known = false
		return
	}
	w.Bytes *= n
}

// itemSize returns the size of an element of a dtype, numpy.dtype("f8", ...) with
// its state.
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
	if code[0] == 'V' { // of fields, among which there may be objects
		state, _ := c.State()
		objects = hasObjects(state)
	}
	return n, objects, err == nil
}

// hasObjects is whether the state of a dtype has the flag that its elements hold
// objects: bit 0 of the last of its members, NPY_ITEM_HASOBJECT.
func hasObjects(state heap.Value) bool {
	flags, ok := state.Item(7).Int()
	return ok && flags&1 != 0
}

// firstStr returns the first argument of a call.
func firstStr(c heap.Result, called bool) (string, bool) {
	if !called {
		return "", false
	}
	return c.Args().Item(0).Str()
}
