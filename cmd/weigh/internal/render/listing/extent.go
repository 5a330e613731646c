// Shapes and sizes of tensors in invalid files.

package listing

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Invalid files are listed, too, and some of their entries cannot be parsed. Unknown values must
// not look like known ones: an unreadable shape is not the shape of a scalar, and invalid offsets
// are not a size of 0.

// shapeKnown reports whether the shape was parsed. The shape of a scalar is empty, not nil.
func shapeKnown(ti *safetensors.TensorInfo) bool { return ti.Shape != nil }

// offsetsKnown reports whether the offsets are valid. Otherwise they are -1.
func offsetsKnown(ti *safetensors.TensorInfo) bool { return ti.Offsets.Begin >= 0 }

// paramsOf returns the number of elements. It is unknown if the shape is, or if the product
// overflows; NumElems is 0 then, although no dimension is 0.
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

// DtypeOf returns the dtype for a table.
func DtypeOf(d safetensors.Dtype) string {
	if d == "" {
		return encode.Unclear
	}
	return typeset.Name(string(d))
}
