// The size of an array from the state of its wrapper.

// Package joblib reads the wrappers that joblib writes in front of the raw data of arrays.
package joblib

import (
	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// An Array describes the data that follows a NumpyArrayWrapper.
type Array struct {
	Bytes   int64 // size of the data
	Objects bool  // the elements are Python objects
	Aligned bool  // a byte with the length of the padding comes first
	Mapped  bool  // a loader may map the data into memory
	Known   bool  // the other fields are valid

	Dtype *dtype.Dtype
	Shape []int64
}

// Of parses the state of a NumpyArrayWrapper. known returns the dtype that a value is, or nil.
//
// joblib accepts any object with the attributes of a shape and of a dtype (numpy_pickle.py, read_array). It writes a
// dict of each attribute once, a tuple of ints and a dtype; for anything else, the size is unknown.
func Of(state heap.Value, known func(heap.Value) *dtype.Dtype) Array {
	const most = 16 // attributes; joblib writes six
	if state.Len() > most {
		return Array{}
	}
	attributes := map[string]heap.Value{}
	for key, value := range state.Pairs() {
		name, ok := key.Str()
		if _, twice := attributes[name]; twice || !ok {
			return Array{}
		}
		attributes[name] = value
	}
	d, shape := known(attributes["dtype"]), attributes["shape"]
	if d == nil || shape.Kind() != heap.KindTuple || shape.Len() > dtype.MaxRank {
		return Array{}
	}
	if d.Size == 0 || d.Array {
		return Array{} // joblib divides by the size, and NumPy may change it; no array has elements that are arrays
	}
	w := Array{Objects: d.Objects, Bytes: d.Size, Known: true, Dtype: d}
	for item := range shape.Items() {
		n, ok := item.Int()
		w.multiply(n, ok)
		w.Shape = append(w.Shape, n)
	}
	if mapped, ok := attributes["allow_mmap"]; ok {
		is, isBool := mapped.Bool()
		w.Mapped = is || !isBool
	}
	alignment, ok := attributes["numpy_array_alignment_bytes"]
	w.Aligned = ok && !alignment.IsNone()
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
