// Package raster draws tensors: it reduces a matrix of any size to tiles of pixels, samples, norms and extremes. It
// reads no more than a budget of bytes, unless it is asked to.
package raster

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/weightools/safetensors"
)

// Side is the width and height of a tile in pixels.
const Side = 256

// A Plane is a matrix: two axes of a tensor at fixed indices of the others.
type Plane struct {
	Rows, Columns int64
	Difference    *Plane // is subtracted; nil for none

	// For a remote tensor: the number of parts that are read at once, and the overhead of a read in bytes.
	Workers int
	MinRead int64

	t     *safetensors.Tensor // of two axes
	turns bool                // the rows of the plane are the columns of t
}

// Real returns the tensor with real numbers of whole bytes: the parts of complex numbers become a new axis.
func Real(t *safetensors.Tensor) (*safetensors.Tensor, error) {
	switch {
	case t.Dtype == safetensors.C64:
		shape := append(append([]int64{}, t.Shape...), 2)
		return safetensors.TensorAt(t.Name, safetensors.F32, shape, t.ReaderAt)
	case t.Dtype.Bits() == 0:
		return nil, fmt.Errorf("the dtype %q is not known", t.Dtype)
	case t.Dtype.Bits() < 8: // slices would have to fill whole bytes
		return t.Convert(safetensors.F32)
	}
	return t, nil
}

// NewPlane returns the plane of a tensor whose rows and columns are the given axes. At has an index for each axis; the
// indices of the two axes are ignored. A vector is one row for any axes, and a scalar is one number.
func NewPlane(t *safetensors.Tensor, axes [2]int, at []int64) (*Plane, error) {
	if len(t.Shape) < 2 {
		n := t.NumElems()
		row, err := safetensors.TensorAt(t.Name, t.Dtype, []int64{1, n}, t.ReaderAt)
		return &Plane{Rows: 1, Columns: n, t: row}, err
	}
	row, column := axes[0], axes[1]
	if row == column || min(row, column) < 0 || max(row, column) >= len(t.Shape) {
		return nil, fmt.Errorf("the axes must be two of the %d axes, not %d and %d", len(t.Shape), row, column)
	}
	if len(at) != len(t.Shape) {
		return nil, fmt.Errorf("%d indices for the %d axes", len(at), len(t.Shape))
	}
	ranges := make([]safetensors.Range, len(t.Shape))
	for i := range ranges {
		if i != row && i != column {
			ranges[i] = safetensors.At(at[i])
		}
	}
	part := t
	if len(t.Shape) > 2 {
		var err error
		if part, err = t.Slice(ranges...); err != nil {
			return nil, err
		}
	}
	return &Plane{Rows: t.Shape[row], Columns: t.Shape[column], t: part, turns: row > column}, nil
}

// Levels returns the number of levels: at the last one, the plane fits into a tile.
func (p *Plane) Levels() int {
	most := uint64(max(p.Rows, p.Columns, 1) - 1)
	return bits.Len64(most/Side) + 1
}

// Bytes returns the size of the plane in the file.
func (p *Plane) Bytes() int64 { return p.t.Size() * int64(p.sides()) }

// sides returns how many matrices are read.
func (p *Plane) sides() int {
	if p.Difference != nil {
		return 2
	}
	return 1
}

// width returns the size of an element in the file.
func (p *Plane) width() int64 { return int64(max(p.t.Dtype.Bits()/8, 1)) * int64(p.sides()) }

// natural returns the plane with the rows of the file, and a function that turns coordinates.
func (p *Plane) natural() *Plane {
	if !p.turns {
		return p
	}
	n := &Plane{Rows: p.Columns, Columns: p.Rows, t: p.t, Workers: p.Workers, MinRead: p.MinRead}
	if p.Difference != nil {
		n.Difference = p.Difference.natural()
	}
	return n
}

// A Box is a part of a plane: rows from Top to Bottom and columns from Left to Right, each exclusive.
type Box struct{ Top, Left, Bottom, Right int64 }

// Height returns the number of rows.
func (b Box) Height() int64 { return b.Bottom - b.Top }

// Width returns the number of columns.
func (b Box) Width() int64 { return b.Right - b.Left }

// mostRead is the number of elements that are decoded at once.
const mostRead = 1 << 16

// read calls do with all elements of a box, in runs of consecutive elements of a row. The buffer is reused. The plane
// has to be natural.
func (p *Plane) read(ctx context.Context, b Box, do func(row, column int64, values []float32)) error {
	width := min(b.Width(), mostRead)
	height := max(mostRead/max(width, 1), 1)
	buffer := make([]float32, min(height, b.Height())*width)
	var other []float32
	if p.Difference != nil {
		other = make([]float32, len(buffer))
	}
	for top := b.Top; top < b.Bottom; top += height {
		for left := b.Left; left < b.Right; left += width {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			part := Box{top, left, min(top+height, b.Bottom), min(left+width, b.Right)}
			n := int(part.Height() * part.Width())
			if err := p.decode(part, buffer[:n], other); err != nil {
				return err
			}
			for i, w := 0, int(part.Width()); i < n; i += w {
				do(part.Top+int64(i/w), part.Left, buffer[i:i+w])
			}
		}
	}
	return nil
}

// decode reads a box.
func (p *Plane) decode(b Box, dst, other []float32) error {
	if err := decode(p.t, b, dst); err != nil || p.Difference == nil {
		return err
	}
	other = other[:len(dst)]
	if err := decode(p.Difference.t, b, other); err != nil {
		return err
	}
	for i, x := range other {
		dst[i] -= x
	}
	return nil
}

func decode(t *safetensors.Tensor, b Box, dst []float32) error {
	if columns := t.Shape[1]; b.Width() == columns { // consecutive in the file
		_, err := safetensors.DecodeAt(t, dst, b.Top*columns)
		return err
	}
	part, err := t.Slice(safetensors.Between(b.Top, b.Bottom), safetensors.Between(b.Left, b.Right))
	if err != nil {
		return err
	}
	_, err = safetensors.DecodeAt(part, dst, 0)
	return err
}

// errShape says that planes cannot be subtracted.
var errShape = errors.New("the difference needs two tensors of the same shape")

// Minus returns the plane of the differences of values.
func (p *Plane) Minus(other *Plane) (*Plane, error) {
	if p.Rows != other.Rows || p.Columns != other.Columns || p.turns != other.turns {
		return nil, errShape
	}
	d := *p
	d.Difference = other
	return &d, nil
}

// bands calls do with parts of the rows from top to bottom, at once, with borders at multiples of step from top.
func (p *Plane) bands(ctx context.Context, top, bottom, step int64,
	do func(ctx context.Context, top, bottom int64) error) error {
	workers := int64(max(p.Workers, min(runtime.GOMAXPROCS(0), 4)))
	units := (bottom - top + step - 1) / step
	workers = max(min(workers, units), 1)
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		from, to := top+units*i/workers*step, min(top+units*(i+1)/workers*step, bottom)
		group.Go(func() error { return do(ctx, from, to) })
	}
	return group.Wait()
}
