// Slices of tensors.

package safetensors

import (
	"fmt"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/source"
)

// Slice returns the part of t that ranges select, one for each axis from the
// first; axes without a range are kept in full. It works as NumPy's basic
// indexing, except that steps only go forward.
//
// Slice reads nothing. Reading the part reads t in as few and as long reads as
// possible, including small gaps between its pieces. A part that is contiguous
// is read like t itself, and its Bytes are copied only if t's are.
//
// It is an error if there are more ranges than axes, if an index of At does not
// exist, or if the part has elements narrower than a byte and does not fill
// whole bytes. A part is packed like any tensor, wherever in a byte of t its
// elements begin.
func (t *Tensor) Slice(ranges ...Range) (*Tensor, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	axes, err := t.axes(ranges)
	if err != nil {
		return nil, err
	}
	part := &Tensor{TensorInfo: TensorInfo{Name: t.Name, Dtype: t.Dtype, Shape: shapeOf(axes)}}
	n := part.NumElems()
	size, ok := t.Dtype.Size(n)
	if !ok {
		return nil, fmt.Errorf("safetensors: tensor %s: the slice of shape %s has %d elements of %d bits, which "+
			"do not fill whole bytes",
			quote(t.Name), part.ShapeString(), n, t.Dtype.Bits())
	}
	part.Offsets.End = size
	if n == 0 {
		// The axes of an empty tensor may have any length, so nothing is computed.
		part.ReaderAt = &source.Section{R: t.ReaderAt, Tensor: t.Name}
		return part, nil
	}
	if c, ok := t.ReaderAt.(*conversion); ok && c.made(t) {
		// Slice the original and convert only the slice. That fails if so many
		// elements of the original do not fill whole bytes.
		if cut, err := c.originalOf(t).Slice(ranges...); err == nil {
			return c.Convert(cut, t.Dtype)
		}
	}
	part.ReaderAt = source.Slice(t.Name, t.ReaderAt, t.Size(), t.Dtype.Bits(), t.Shape, axes, size)
	return part, nil
}

// check returns an error if the dtype of t is unknown, if its size does not
// match its dtype and shape, or if it has no source. Only a Tensor that is made
// by hand can be wrong.
func (t *Tensor) check() error {
	switch {
	case t.Dtype.Bits() == 0:
		return fmt.Errorf("safetensors: tensor %s: unknown dtype %s", quote(t.Name), quote(string(t.Dtype)))
	case t.ReaderAt == nil && t.Size() > 0:
		return fmt.Errorf("safetensors: tensor %s has no ReaderAt for its %d bytes", quote(t.Name), t.Size())
	}
	n, fits := header.Product(t.Shape)
	size, broken := header.Bytes(n, t.Dtype.Bits())
	if !fits || broken != header.None || int64(size) != t.Size() {
		return fmt.Errorf("safetensors: tensor %s: %s %s does not take the %d bytes of its Offsets",
			quote(t.Name), t.Dtype, t.ShapeString(), t.Size())
	}
	return nil
}

// axes returns what ranges select of each axis of t. Its time is linear in the
// number of axes: a file may have millions.
func (t *Tensor) axes(ranges []Range) ([]source.Axis, error) {
	rank := len(t.Shape)
	given, dots := len(ranges), 0
	for _, r := range ranges {
		if r.kind == ellipsis {
			given--
			dots++
		}
	}
	switch {
	case given > rank:
		return nil, fmt.Errorf("safetensors: tensor %s: %d ranges, but %s has %d axes",
			quote(t.Name), given, t.ShapeString(), rank)
	case dots > 1:
		return nil, fmt.Errorf("safetensors: tensor %s: %d ellipses, expected at most one", quote(t.Name), dots)
	}
	axes := make([]source.Axis, 0, rank)
	for _, r := range ranges {
		repeat := 1
		if r.kind == ellipsis {
			repeat = rank - given
		}
		for range repeat {
			a, err := r.of(t.Shape[len(axes)])
			if err != nil {
				return nil, fmt.Errorf("safetensors: tensor %s: axis %d: %w", quote(t.Name), len(axes), err)
			}
			axes = append(axes, a)
		}
	}
	for _, dim := range t.Shape[len(axes):] {
		axes = append(axes, source.Axis{Count: dim, Step: 1})
	}
	return axes, nil
}

// shapeOf returns the shape of the elements that axes select.
func shapeOf(axes []source.Axis) []int64 {
	shape := make([]int64, 0, len(axes))
	for _, a := range axes {
		if !a.Dropped {
			shape = append(shape, a.Count)
		}
	}
	return shape
}
