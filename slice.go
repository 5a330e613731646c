// Slices: the part of a tensor that ranges select.

package safetensors

import (
	"fmt"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/source"
)

// Slice returns the part of t that ranges select, one for each axis from the
// first; axes without a range are kept whole. The meaning is that of NumPy's
// basic indexing, but that steps only go forward.
//
// Slice reads nothing. The part is read from t, when it is read, in as few and
// as long reads as its shape allows, which may take in what lies between its
// pieces where the gaps are small. A part that is all in one piece is read like
// t itself, and its Bytes are not copied if those of t are not.
//
// It is an error if there are more ranges than axes, if an index given to At
// does not exist, or if the part, of elements narrower than a byte, does not
// fill whole bytes. If it does, it is packed like any tensor, wherever in a
// byte of t its elements begin.
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
		return nil, fmt.Errorf("safetensors: tensor %s: the slice of shape %s has %d elements of %d bits, which do not fill whole bytes",
			quote(t.Name), part.ShapeString(), n, t.Dtype.Bits())
	}
	part.Offsets.End = size
	if n == 0 {
		// Empty tensors may have axes of any length, of which no grid is made.
		part.ReaderAt = &source.Section{R: t.ReaderAt, Tensor: t.Name}
		return part, nil
	}
	if c, ok := t.ReaderAt.(*conversion); ok && c.made(t) {
		// Cut first, and convert no more than what is left. That fails where
		// so many elements of the original do not fill whole bytes.
		if cut, err := c.originalOf(t).Slice(ranges...); err == nil {
			return c.Convert(cut, t.Dtype)
		}
	}
	part.ReaderAt = source.Slice(t.Name, t.ReaderAt, t.Size(), t.Dtype.Bits(), t.Shape, axes, size)
	return part, nil
}

// check returns an error if t is not whole: of a dtype that is known, with the
// size that dtype and shape ask for, and with a source. All are that come from
// this package; but a Tensor can be put together by hand.
func (t *Tensor) check() error {
	switch {
	case t.Dtype.Bits() == 0:
		return fmt.Errorf("safetensors: tensor %s: there is no dtype %s", quote(t.Name), quote(string(t.Dtype)))
	case t.ReaderAt == nil && t.Size() > 0:
		return fmt.Errorf("safetensors: tensor %s has no ReaderAt to read its %d bytes from", quote(t.Name), t.Size())
	}
	n, fits := header.Product(t.Shape)
	size, broken := header.Bytes(n, t.Dtype.Bits())
	if !fits || broken != header.None || int64(size) != t.Size() {
		return fmt.Errorf("safetensors: tensor %s: %s %s does not take the %d bytes that its Offsets span",
			quote(t.Name), t.Dtype, t.ShapeString(), t.Size())
	}
	return nil
}

// axes returns what ranges select of each axis of t. Its time is linear in the
// number of axes, which a file may have millions of.
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
		return nil, fmt.Errorf("safetensors: tensor %s: %d ranges, and %s has %d axes", quote(t.Name), given, t.ShapeString(), rank)
	case dots > 1:
		return nil, fmt.Errorf("safetensors: tensor %s: %d ellipses, and the axes that one stands for would be unknown", quote(t.Name), dots)
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

// shapeOf returns the shape of what axes select.
func shapeOf(axes []source.Axis) []int64 {
	shape := make([]int64, 0, len(axes))
	for _, a := range axes {
		if !a.Dropped {
			shape = append(shape, a.Count)
		}
	}
	return shape
}
