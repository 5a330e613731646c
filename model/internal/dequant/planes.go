// Weights whose bytes have values of several planes: HQQ and quanto.

package dequant

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// HQQ returns the values of HQQ. Groups are rows, if there is a scale for each, or columns.
//
//	W_q U8 [groups·bits/8, group], or [group·bits/8, groups]; I32 with 10 values of 3 bits; or floats of the same bytes
//	scale, zero [groups, 1], or [1, groups]   shape I64 [2]
//
// The first plane is in the highest bits. (HQQ 0.2.8.post1: core/quantize.py Quantizer.dequantize, core/bitpack.py)
func HQQ(w *Weight) (*Matrix, error) {
	if err := w.need(parts.HQQWeight, parts.Scale, parts.Zeros, parts.ShapeOf); err != nil {
		return nil, err
	}
	shape, err := dims(w.Parts[parts.ShapeOf])
	if err != nil {
		return nil, err
	}
	s, z := w.Parts[parts.Scale], w.Parts[parts.Zeros]
	n := clamp.Product(shape)
	if len(s.Shape) != 2 || !w.is(parts.Scale, parts.Float) || !w.is(parts.Zeros, parts.Float) || n == 0 ||
		min(s.Shape[0], s.Shape[1]) != 1 || n%s.NumElems() != 0 || z.NumElems() != s.NumElems() && z.NumElems() != 1 {
		return nil, fmt.Errorf("its scales %s and zero points %s do not fit the shape %v", s.ShapeString(), z.ShapeString(),
			shape)
	}
	codes, err := w.planesOfHQQ(n)
	if err != nil {
		return nil, err
	}
	groups := s.NumElems()
	scale, err := NewPart(s, groups)
	if err != nil {
		return nil, err
	}
	zero, err := NewPart(z, z.NumElems())
	if err != nil {
		return nil, err
	}
	second := zero.Fill
	if zero.Cols != groups {
		second = func(dst []float32, _ Box) error { // one for all
			err := zero.Fill(dst[:1], Box{0, 1, 0, 1})
			for i := range dst {
				dst[i] = dst[0]
			}
			return err
		}
	}
	a := &Affine{Codes: codes, Second: second, Do: Less, Scale: Grid{Fill: scale.Fill, Rows: 1, Cols: groups, Height: 1}}
	if s.Shape[1] == 1 {
		a.Scale.Width = n / groups
		return flat(shape, a.Fill)
	}
	return flat(shape, across(a, groups))
}

// across computes a row whose groups are the columns of a matrix with so many columns.
func across(a *Affine, cols int64) Fill {
	codes := a.Codes
	a.Codes = func(dst []float32, b Box) error { return codes(dst, Box{0, 1, b.Row*cols + b.Col, int64(len(dst))}) }
	a.Scale.Height, a.Scale.Width = 1<<62, 1
	return func(dst []float32, b Box) error {
		for len(dst) > 0 {
			next := Box{b.Col / cols, 1, b.Col % cols, min(int64(len(dst)), cols-b.Col%cols)}
			if next.Col == 0 {
				next.Rows = max(int64(len(dst))/cols, 1)
			}
			n := next.Rows * next.Cols
			if err := a.Fill(dst[:n], next); err != nil {
				return err
			}
			dst, b.Col = dst[n:], b.Col+n
		}
		return nil
	}
}

// planesOfHQQ returns the integers of a weight with n values, in one row.
func (w *Weight) planesOfHQQ(n int64) (Fill, error) {
	t, bits := w.Parts[parts.HQQWeight], w.Bits
	if own := w.Parts[parts.BitWidth]; own != nil && w.is(parts.BitWidth, parts.Int32) && own.NumElems() == 1 {
		said, err := safetensors.Read[int32](own)
		if err != nil {
			return nil, err
		}
		bits = int64(said[0])
	}
	d, size := safetensors.U8, int64(1)
	if bits == 3 {
		d, size = safetensors.U32, 4
	}
	per, ok := map[int64]int64{1: 8, 2: 4, 3: 10, 4: 2, 8: 1}[bits]
	all := clamp.Mul(t.Size()/size, per)
	if !ok || n > all || bits != 3 && n != all || t.Size() == 0 || t.Size()%size != 0 {
		return nil, fmt.Errorf("its %d bytes do not hold %d integers of %d bits", t.Size(), n, bits)
	}
	p, err := As(t, d, t.Size()/size)
	shifts := make([]int, per)
	for i := range shifts {
		shifts[i] = int(bits) * (len(shifts) - 1 - i)
	}
	return Planes(p, int(bits), shifts), err
}

// Quanto returns the values of optimum-quanto with 2 or 4 bits.
//
//	weight._data._data U8 [ceil(out·bits/8), in], or [ceil(groups·bits/8), group]   weight._scale, weight._shift [rows, 1]
//
// The first plane is in the lowest bits. A matrix has groups if it has more than 128 inputs, of 128, 96, 64 or 32 if that
// divides them; then only the number of inputs shows how many rows it has. (optimum-quanto 0.2.7: tensor/qbits.py
// QBitsDequantizer, tensor/packed.py, nn/qmodule.py)
func Quanto(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Data, parts.Scale, parts.Zeros); err != nil {
		return nil, err
	}
	t, s, z := w.Parts[parts.Data], w.Parts[parts.Scale], w.Parts[parts.Zeros]
	rows := s.NumElems()
	if w.Bits != 2 && w.Bits != 4 || len(s.Shape) < 2 || s.Shape[0] != rows || !slices.Equal(s.Shape, z.Shape) ||
		!w.is(parts.Scale, parts.Float) || rows == 0 || len(t.Shape) < 2 || !w.is(parts.Data, parts.U8) {
		return nil, fmt.Errorf("its scales %s and shifts %s do not fit bytes %s with values of %d bits", s.ShapeString(),
			z.ShapeString(), t.ShapeString(), w.Bits)
	}
	shape := slices.Concat([]int64{rows}, t.Shape[1:])
	n := clamp.Product(shape)
	if group := n / rows; group <= 128 && group%32 == 0 && group != w.In {
		if w.In <= 128 || group == 0 || w.In%group != 0 || n%w.In != 0 {
			return nil, fmt.Errorf("%w for its groups of %d, since the number of its inputs is unknown", ErrUnknown, group)
		}
		shape = []int64{n / w.In, w.In}
	}
	per := 8 / w.Bits
	if t.Size() != clamp.Mul(clamp.CeilDiv(rows, per), n/rows) {
		return nil, fmt.Errorf("its %d bytes do not hold %d rows of %d values of %d bits", t.Size(), rows, n/rows, w.Bits)
	}
	p, err := NewBytes(t, 1)
	if err != nil {
		return nil, err
	}
	shifts := make([]int, per)
	for i := range shifts {
		shifts[i] = int(w.Bits) * i
	}
	scale, err := NewPart(s, rows)
	if err != nil {
		return nil, err
	}
	shift, err := NewPart(z, rows)
	a := &Affine{Codes: Planes(p, int(w.Bits), shifts), Second: shift.Fill, Do: Minus,
		Scale: Grid{Fill: scale.Fill, Rows: 1, Cols: rows, Height: 1, Width: n / rows}}
	if !w.is(parts.Zeros, parts.Float) {
		a.Do = Less
	}
	if err != nil {
		return nil, err
	}
	return flat(shape, a.Fill)
}
