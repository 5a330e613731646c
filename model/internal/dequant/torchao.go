// Tensor subclasses of torchao.

package dequant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
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
	case "MXTensor", "NVFP4Tensor":
		return w.torchBlocks(class, meta.Get("_data"))
	default:
		return nil, fmt.Errorf("%w for the class %q", ErrUnknown, class)
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

// torchBlocks returns the values of MXTensor and NVFP4Tensor, whose scales are for a block of a row.
//
//	_weight_qdata U8 [out, in/2], or F8_E4M3 or F8_E5M2 [out, in]   _weight_scale F8_E8M0 or F8_E4M3
//	_weight_per_tensor_scale F32 []
//
// (torchao 0.18: prototype/mx_formats/mx_tensor.py to_dtype, nvfp4_tensor.py dequantize)
func (w *Weight) torchBlocks(class string, meta jsonscan.Value) (*Matrix, error) {
	t, s := w.Parts[parts.QData], w.Parts[parts.Scale]
	shape, scales := slices.Clone(t.Shape), safetensors.F8_E8M0
	a := &Affine{Do: Less}
	if len(shape) > 0 && w.is(parts.QData, parts.U8) {
		shape[len(shape)-1] = clamp.Mul(shape[len(shape)-1], 2)
	}
	elem, ok := meta.Get("elem_dtype").Get("_data").Str()
	four := w.is(parts.QData, parts.U8) && (class == "NVFP4Tensor" || strings.HasPrefix(elem, "float4"))
	block, okBlock := meta.Get("block_size").Int()
	m, err := matrix(shape, a.Fill)
	switch {
	case err != nil:
		return nil, err
	case !four && !(ok && w.is(parts.QData, parts.Float8)): // floats of 6 bits have no dtype
		return nil, fmt.Errorf("%w for its elements", ErrUnknown)
	case m.Rows == 0:
		return m, nil
	case !okBlock || block <= 0 || m.Cols%block != 0:
		return nil, fmt.Errorf("its blocks of %d do not fit the shape %v", block, shape)
	}
	if class == "NVFP4Tensor" {
		scales = safetensors.F8_E4M3
	}
	a.Scale = Grid{Rows: m.Rows, Cols: m.Cols / block, Height: 1, Width: block}
	p, err := NewPart(t, m.Cols)
	if a.Codes = p.Fill; four {
		p, err = NewBytes(t, m.Rows)
		a.Codes = Lookup(Bits(p, 4, 0), e2m1[:])
	}
	if err != nil {
		return nil, err
	}
	if swizzled, _ := meta.Get("is_swizzled_scales").Bool(); swizzled {
		a.Scale.Fill, err = Tiled(s, scales, a.Scale.Rows, a.Scale.Cols)
	} else if p, err = As(s, scales, a.Scale.Cols); err == nil && p.Rows != m.Rows {
		err = fmt.Errorf("its scales %s do not fit blocks of %d", s.ShapeString(), block)
	} else {
		a.Scale.Fill = p.Fill
	}
	if err == nil {
		err = w.scaleOfScales(a)
	}
	return m, err
}

// scaleOfScales multiplies the scales with the one scale that they have together, if there is any.
func (w *Weight) scaleOfScales(a *Affine) error {
	t := w.Parts[parts.Scale2]
	if t == nil {
		return nil
	}
	if t.NumElems() != 1 {
		return fmt.Errorf("its scale of the scales has shape %s, not one element", t.ShapeString())
	}
	var one [1]float32
	if _, err := safetensors.DecodeAt(t, one[:], 0); err != nil {
		return err
	}
	fill := a.Scale.Fill
	a.Scale.Fill = func(dst []float32, b Box) error {
		err := fill(dst, b)
		for i := range dst {
			dst[i] *= one[0]
		}
		return err
	}
	return nil
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
