// Weights that are packed along their inputs: compressed-tensors and MLX.

package dequant

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// Packed returns the values of compressed-tensors' pack-quantized.
//
//	weight_packed I32 [out, words]   weight_scale [out, groups]   weight_shape I64 [2]   weight_g_idx I32 [in]
//	weight_zero_point I32 [out·bits/32, groups], or I8 [out, groups]
//
// Integers are stored with 2^(bits-1) added. (compressed-tensors 0.20.1: compressors/pack_quantized/helpers.py
// unpack_from_int32, quantization/lifecycle/forward_helpers.py _dequantize)
func Packed(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Packed, parts.Scale, parts.ShapeOf); err != nil {
		return nil, err
	}
	shape, err := dims(w.Parts[parts.ShapeOf])
	if err != nil {
		return nil, err
	}
	p := w.Parts[parts.Packed]
	last := len(p.Shape) - 1
	if len(shape) < 2 || last != len(shape)-1 || !slices.Equal(shape[:last], p.Shape[:last]) || w.Bits < 1 || w.Bits > 8 ||
		!w.is(parts.Packed, parts.Int32) {
		return nil, fmt.Errorf("its weight_shape is %v, which does not fit the packed words %s", shape, p.ShapeString())
	}
	a := new(Affine)
	m, err := matrix(shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	less := float32(int(1) << (w.Bits - 1))
	stored, err := NewBytes(p, m.Rows)
	if err != nil {
		return nil, err
	}
	words, per := p.Shape[last], 32/w.Bits
	dense, whole := clamp.CeilDiv(clamp.Mul(m.Cols, w.Bits), 32) == words, clamp.CeilDiv(m.Cols, per) == words
	switch {
	case dense && whole && 32%w.Bits != 0 && m.Cols > per:
		return nil, fmt.Errorf("its rows of %d integers of %d bits can be packed into %d words in two ways", m.Cols,
			w.Bits, words)
	case dense:
		a.Codes = Bits(stored, w.Bits, less)
	case whole: // as written by older versions
		a.Codes = Words(stored, w.Bits, less)
	default:
		return nil, fmt.Errorf("its rows of %d words do not hold %d integers of %d bits", words, m.Cols, w.Bits)
	}
	if err := w.scales(a, m); err != nil {
		return nil, err
	}
	a.Do = Less
	if a.Second, err = w.rowZeros(a, less); err != nil {
		return nil, err
	}
	return m, nil
}

// rowZeros returns the zero points of compressed-tensors, or nil if there are none.
func (w *Weight) rowZeros(a *Affine, less float32) (Fill, error) {
	z := w.Parts[parts.Zeros]
	switch {
	case z == nil:
		return nil, nil
	case !w.is(parts.Zeros, parts.Int32):
		return w.likeScales(a)
	}
	p, err := NewPart(z, a.Scale.Cols)
	if err != nil {
		return nil, err
	}
	if clamp.CeilDiv(clamp.Mul(a.Scale.Rows, w.Bits), 32) != p.Rows || len(z.Shape) > 2 && a.Scale.Rows*w.Bits%32 != 0 {
		return nil, fmt.Errorf("its zero points %s do not fit %d scales for each group", z.ShapeString(), a.Scale.Rows)
	}
	if p, err = p.Transposed(); err != nil {
		return nil, err
	}
	if p, err = NewBytes(p.t, p.Rows); err != nil {
		return nil, err
	}
	return Turned(Bits(p, w.Bits, less)), nil
}

// likeScales returns zero points that are numbers in the shape of the scales.
func (w *Weight) likeScales(a *Affine) (Fill, error) {
	z := w.Parts[parts.Zeros]
	p, err := NewPart(z, a.Scale.Cols)
	if err == nil && (p.Rows != a.Scale.Rows || p.Cols != a.Scale.Cols) {
		err = fmt.Errorf("its zero points %s do not fit its scales %s", z.ShapeString(), w.Parts[parts.Scale].ShapeString())
	}
	return p.Fill, err
}

// scales sets the scales of a weight: one, one for each row or for groups of a row, or for blocks of rows and columns.
func (w *Weight) scales(a *Affine, m *Matrix) error {
	t := w.Parts[parts.Scale]
	rows, cols := int64(1), int64(1)
	switch n := len(t.Shape); {
	case t.NumElems() == 1:
	case n == 1 && t.Shape[0] == m.Rows:
		rows = m.Rows
	case n >= 2 && n == len(m.Shape):
		cols = t.Shape[n-1]
		rows = t.NumElems() / max(cols, 1)
	}
	if t.NumElems() != clamp.Mul(rows, cols) || t.NumElems() == 0 {
		return fmt.Errorf("its scales %s do not fit the shape %v", t.ShapeString(), m.Shape)
	}
	a.Scale = Grid{Rows: rows, Cols: cols}
	p, err := NewPart(t, cols)
	if err != nil {
		return err
	}
	a.Scale.Fill = p.Fill
	switch {
	case rows == m.Rows:
		a.Scale.Height = 1
	case rows == 1:
		a.Scale.Height = m.Rows
	default:
		return fmt.Errorf("its scales %s do not fit the shape %v", t.ShapeString(), m.Shape)
	}
	if a.Scale.Width, err = w.groupOf(m.Cols, cols); err != nil {
		return err
	}
	return w.index(a, m.Cols)
}

// index sets the groups of columns that act-order has rearranged. Programs store -1 if it has not.
func (w *Weight) index(a *Affine, cols int64) (err error) {
	t := w.Parts[parts.GroupIndex]
	if t == nil {
		return nil
	}
	if len(t.Shape) != 1 || t.Shape[0] != cols || !w.is(parts.GroupIndex, parts.Int32) {
		return fmt.Errorf("its g_idx is %s %s, but the weight has %d inputs", t.Dtype, t.ShapeString(), cols)
	}
	var first [4]byte
	if _, err := t.ReadAt(first[:], 0); err != nil && cols > 1 {
		return err
	}
	if int32(binary.LittleEndian.Uint32(first[:])) != -1 {
		a.Scale.Groups, err = NewPart(t, cols)
	}
	return err
}

// Scaled returns the values of numbers of one byte or more with scales, and maybe with zero points: int-quantized of
// compressed-tensors, and quanto with 8 bits.
func Scaled(w *Weight, holds parts.Role) (*Matrix, error) {
	if err := w.need(holds, parts.Scale); err != nil {
		return nil, err
	}
	t := w.Parts[holds]
	a := &Affine{Do: Less}
	m, err := matrix(t.Shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	p, err := NewPart(t, m.Cols)
	if err != nil {
		return nil, err
	}
	a.Codes = p.Fill
	if err := w.scales(a, m); err != nil {
		return nil, err
	}
	if w.Parts[parts.Zeros] != nil {
		a.Second, err = w.likeScales(a)
	}
	return m, err
}

// MLX returns the values of MLX's quantize: with scales and biases in mode affine, and otherwise with the scales of
// mxfp4, mxfp8 or nvfp4.
//
//	weight U32 [out, in·bits/32]   scales [out, in/group]   biases, of affine modes, as scales
//
// (MLX 0.32: mlx/backend/cpu/quantized.cpp; python/src/ops.cpp quantize)
func MLX(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Weight, parts.Scales); err != nil {
		return nil, err
	}
	t, s := w.Parts[parts.Weight], w.Parts[parts.Scales]
	n := len(t.Shape)
	if n < 2 || len(s.Shape) != n || w.Bits < 1 || w.Bits > 8 {
		return nil, fmt.Errorf("its scales %s do not fit its words %s", s.ShapeString(), t.ShapeString())
	}
	shape := slices.Clone(t.Shape)
	shape[n-1] = clamp.MulDiv(shape[n-1], 32, w.Bits)
	a := new(Affine)
	m, err := matrix(shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	groups := s.Shape[n-1]
	if groups == 0 || m.Cols%groups != 0 || m.Cols*w.Bits%32 != 0 || s.NumElems() != clamp.Mul(m.Rows, groups) {
		return nil, fmt.Errorf("its scales %s do not fit its words %s", s.ShapeString(), t.ShapeString())
	}
	words, err := NewBytes(t, m.Rows)
	if err != nil {
		return nil, err
	}
	a.Scale = Grid{Rows: m.Rows, Cols: groups, Height: 1, Width: m.Cols / groups}
	a.Codes, a.Do = Bits(words, w.Bits, 0), Plus
	scales := s.Dtype
	if b := w.Parts[parts.Biases]; b != nil {
		p, err := NewPart(b, groups)
		if err != nil || p.Rows != m.Rows {
			return nil, fmt.Errorf("its biases %s do not fit its scales %s", b.ShapeString(), s.ShapeString())
		}
		a.Second = p.Fill
	} else if scales, err = w.mode(a, words, m); err != nil {
		return nil, err
	}
	p, err := As(s, scales, groups)
	a.Scale.Fill = p.Fill
	return m, err
}

// mode sets the codes of a mode of MLX without biases, and returns the dtype of its scales.
func (w *Weight) mode(a *Affine, words Part, m *Matrix) (scales safetensors.Dtype, err error) {
	a.Do = Less
	switch mode := [2]int64{w.Bits, a.Scale.Width}; {
	case !w.is(parts.Scales, parts.U8):
	case mode == [2]int64{4, 32}:
		a.Codes = Lookup(a.Codes, e2m1[:])
		return safetensors.F8_E8M0, nil
	case mode == [2]int64{4, 16}:
		a.Codes = Lookup(a.Codes, e2m1[:])
		return safetensors.F8_E4M3, nil
	case mode == [2]int64{8, 32}:
		p, err := As(words.t, safetensors.F8_E4M3, m.Cols)
		a.Codes = p.Fill
		return safetensors.F8_E8M0, err
	}
	return "", fmt.Errorf("its biases are missing, and no mode without them has %d bits and groups of %d", w.Bits,
		a.Scale.Width)
}

// e2m1 are the floats of 4 bits of the OCP Microscaling Formats.
var e2m1 = [16]float32{0, 0.5, 1, 1.5, 2, 3, 4, 6, float32(math.Copysign(0, -1)), -0.5, -1, -1.5, -2, -3, -4, -6}

// dims reads a shape that a tensor has: a few integers.
func dims(t *safetensors.Tensor) (shape []int64, err error) {
	if n := t.NumElems(); n < 1 || n > 8 {
		return nil, fmt.Errorf("its shape has %d dimensions", n)
	}
	switch t.Dtype {
	case safetensors.I64:
		return safetensors.Read[int64](t)
	case safetensors.I32:
		all, err := safetensors.Read[int32](t)
		for _, d := range all {
			shape = append(shape, int64(d))
		}
		return shape, err
	}
	return nil, fmt.Errorf("its shape is %s, not I64 or I32", t.Dtype)
}
