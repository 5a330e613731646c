// Packed weights.

package dequant

import (
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// A Weight is the parts of a packed weight, and what is known about them. Zero values mean that it is unknown.
type Weight struct {
	Parts [parts.Count]*safetensors.Tensor

	In     int64  // the number of inputs
	Bits   int64  // of a value
	Group  int64  // inputs with one scale; -1 if it is a whole row
	Offset int64  // GPTQ: what is added to the zero points that are stored; version 1 of the format stores one less
	Meta   []byte // torchao: JSON, from the metadata of the file
}

// need returns the tensors of the given roles.
func (w *Weight) need(roles ...parts.Role) error {
	for _, r := range roles {
		if w.Parts[r] == nil {
			return fmt.Errorf("its %s are missing", r)
		}
	}
	return nil
}

// shape returns the shape of a part, or nil.
func (w *Weight) shape(r parts.Role) []int64 {
	if w.Parts[r] == nil {
		return nil
	}
	return w.Parts[r].Shape
}

// is reports whether there is a part of one of the given dtypes.
func (w *Weight) is(r parts.Role, k parts.Kinds) bool {
	return w.Parts[r] != nil && parts.KindOf(w.Parts[r].Dtype)&k != 0
}

// matrix returns a matrix of the given shape.
func matrix(shape []int64, fill Fill) (*Matrix, error) {
	m := &Matrix{Shape: slices.Clone(shape), Cols: 1, Fill: fill}
	if n := len(shape); n > 0 {
		m.Cols = shape[n-1]
	}
	n := clamp.Product(shape)
	if n > math.MaxInt64/4 || slices.ContainsFunc(shape, func(d int64) bool { return d < 0 }) {
		return nil, fmt.Errorf("it would have the shape %v, which is too large", shape)
	}
	if n > 0 {
		m.Rows = n / m.Cols
	}
	return m, nil
}

// flat returns a matrix of the given shape whose values are computed in one row.
func flat(shape []int64, fill Fill) (*Matrix, error) {
	m, err := matrix(shape, nil)
	if err != nil {
		return nil, err
	}
	m.Fill = func(dst []float32, b Box) error {
		return fill(dst, Box{0, 1, b.Row*m.Cols + b.Col, int64(len(dst))})
	}
	return m, nil
}

// groupOf returns how many of cols columns have one scale, if there are so many scales in a row.
func (w *Weight) groupOf(cols, groups int64) (int64, error) {
	switch {
	case groups == 1:
		return max(cols, 1), nil
	case w.Group > 0 && clamp.CeilDiv(cols, w.Group) == groups:
		return w.Group, nil
	case groups > 0 && cols > 0 && cols%groups == 0:
		return cols / groups, nil
	}
	return 0, fmt.Errorf("its %d inputs cannot be divided into %d equal groups", cols, groups)
}
