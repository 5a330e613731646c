// How large a tensor is, as far as its entry can be read.

package listing

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
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
func paramsOf(ti *safetensors.TensorInfo) encode.Known {
	n := ti.NumElems()
	if !shapeKnown(ti) || n == 0 && !slices.Contains(ti.Shape, 0) {
		return encode.Unknown
	}
	return encode.Known(n)
}

// bytesOf returns the size of the data in bytes.
func bytesOf(ti *safetensors.TensorInfo) encode.Known {
	if !offsetsKnown(ti) {
		return encode.Unknown
	}
	return encode.Known(ti.Size())
}

// ShapeOf returns the shape for a table.
func ShapeOf(ti *safetensors.TensorInfo) string {
	if !shapeKnown(ti) {
		return encode.Unclear
	}
	return ti.ShapeString()
}

// DtypeOf returns a dtype for a table. That of an entry without one is empty.
func DtypeOf(d safetensors.Dtype) string {
	if d == "" {
		return encode.Unclear
	}
	return typeset.Name(string(d))
}
