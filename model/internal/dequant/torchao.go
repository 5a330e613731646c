// Tensor subclasses of torchao.

package dequant

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// TorchAO returns the values of torchao's tensors with one value in each element: Int8Tensor,
// IntxUnpackedToInt8Tensor and Float8Tensor.
//
//	_weight_qdata I8 or F8_E4M3 [out, in]   _weight_scale, _weight_zero_point: one for each block
//
// The metadata has the size of a block. (torchao 0.18: quantization/quant_primitives.py
// _dequantize_affine_no_dtype_check, _dequantize_affine_float8)
func TorchAO(w *Weight) (*Matrix, error) {
	if err := w.need(parts.QData, parts.Scale); err != nil {
		return nil, err
	}
	meta, _ := jsonscan.Parse(w.Meta)
	class, _ := meta.Get("_type").Str()
	switch class {
	case "Int8Tensor", "IntxUnpackedToInt8Tensor", "Float8Tensor":
	default:
		return nil, fmt.Errorf("it is of the class %q, which has no published formula", class)
	}
	t, s := w.Parts[parts.QData], w.Parts[parts.Scale]
	a := &Affine{Do: Less}
	m, err := matrix(t.Shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	block, ok := ints(meta.Get("_data").Get("block_size"))
	if !ok { // by the shape of the scales
		block = quotients(t.Shape, s.Shape)
	}
	g, err := blocks(t.Shape, block)
	if err != nil {
		return nil, err
	}
	if g.Rows*g.Cols != s.NumElems() {
		return nil, fmt.Errorf("its scales %s do not fit blocks of %v", s.ShapeString(), block)
	}
	codes, err := NewPart(t, m.Cols)
	if err != nil {
		return nil, err
	}
	scales, err := NewPart(s, g.Cols)
	if err != nil {
		return nil, err
	}
	g.Fill = scales.Fill
	a.Codes, a.Scale = codes.Fill, g
	if z := w.Parts[parts.Zeros]; z != nil {
		zeros, err := NewPart(z, g.Cols)
		if err != nil || zeros.Rows != g.Rows {
			return nil, fmt.Errorf("its zero points %s do not fit its scales %s", z.ShapeString(), s.ShapeString())
		}
		a.Second = zeros.Fill
	}
	return m, nil
}

// quotients returns the blocks of a shape that have so many scales along each dimension, or nil.
func quotients(shape, scales []int64) (block []int64) {
	if len(shape) != len(scales) {
		if clamp.Product(scales) != 1 {
			return nil
		}
		return shape
	}
	for i, n := range scales {
		if n <= 0 || shape[i]%n != 0 {
			return nil
		}
		block = append(block, shape[i]/n)
	}
	return block
}

// blocks returns the grid of a weight whose blocks have the given shape.
func blocks(shape, block []int64) (g Grid, err error) {
	n := len(shape)
	if n == 0 || len(block) != n {
		return g, fmt.Errorf("its blocks of %v do not fit the shape %v", block, shape)
	}
	for i, b := range block {
		if b <= 0 || shape[i]%b != 0 {
			return g, fmt.Errorf("its blocks of %v do not fit the shape %v", block, shape)
		}
	}
	rows := slices.Clone(shape[:n-1])
	g = Grid{Rows: 1, Cols: shape[n-1] / block[n-1], Height: 1, Width: block[n-1]}
	// Rows with one scale have to be next to each other: all dimensions after the first that is divided are whole.
	for i := n - 2; i >= 0; i-- {
		switch {
		case block[i] == rows[i] && g.Rows == 1:
			g.Height *= rows[i]
		case block[i] == 1 || g.Rows == 1:
			g.Height, g.Rows = g.Height*block[i], g.Rows*(rows[i]/block[i])
		default:
			return g, fmt.Errorf("its blocks of %v are not next to each other in the shape %v", block, shape)
		}
	}
	return g, nil
}
