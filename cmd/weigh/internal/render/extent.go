// How large a tensor is, as far as its entry can be read.

package render

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A broken file is shown all the same, and some of its entries cannot be read.
// What is not known must not pass for something: a shape that was not read is
// not the shape of a scalar, and offsets that make no sense are not a size of 0.

// shapeKnown says whether the entry's shape was read. The root package leaves a
// shape nil that is missing or malformed; that of a scalar is empty.
func shapeKnown(ti *safetensors.TensorInfo) bool { return ti.Shape != nil }

// offsetsKnown says whether the entry's offsets make sense. Else they are -1.
func offsetsKnown(ti *safetensors.TensorInfo) bool { return ti.Offsets.Begin >= 0 }

// paramsOf returns the number of elements. It is unknown where the shape is, and
// where the product does not fit an int64: NumElems is 0 then, as it is for a
// tensor that has a dimension of 0 and thus honestly no elements.
func paramsOf(ti *safetensors.TensorInfo) known {
	n := ti.NumElems()
	if !shapeKnown(ti) || n == 0 && !slices.Contains(ti.Shape, 0) {
		return unknown
	}
	return known(n)
}

// bytesOf returns the size of the data in bytes.
func bytesOf(ti *safetensors.TensorInfo) known {
	if !offsetsKnown(ti) {
		return unknown
	}
	return known(ti.Size())
}

// unclear is what a table shows in place of what is not known.
const unclear = "?"

// shapeOf returns the shape for a table.
func shapeOf(ti *safetensors.TensorInfo) string {
	if !shapeKnown(ti) {
		return unclear
	}
	return ti.ShapeString()
}

// dtypeOf returns a dtype for a table. That of an entry without one is empty.
func dtypeOf(d safetensors.Dtype) string {
	if d == "" {
		return unclear
	}
	return typeset.Name(string(d))
}

// text returns the number as format writes it.
func (k known) text(format func(int64) string) string {
	if k < 0 {
		return unclear
	}
	return format(int64(k))
}

// cell returns the number for a cell of CSV, which has nothing in it for what is
// not known: spreadsheets add up what they can read.
func (k known) cell() string {
	if k < 0 {
		return ""
	}
	return digitsOf(int64(k))
}

// plus returns the sum of what is known. Sums saturate, see add.
func plus(sum int64, k known) int64 { return add(sum, max(int64(k), 0)) }
