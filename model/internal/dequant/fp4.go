// Floats of 4 bits, two to a byte, in groups that share a scale.

package dequant

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// A Second is what the scales of nvfp4 are combined with.
type Second uint8

// The ways to combine scales.
const (
	NoSecond   Second = iota
	Multiplied        // ModelOpt: weight_scale_2
	Divided           // compressed-tensors: weight_global_scale
)

// FP4 returns the values of 4-bit floats. The first float of each byte is in its low half.
//
//	nvfp4   weight U8 [out, in/2]   weight_scale F8_E4M3 [out, in/16]        weight_scale_2 F32: one
//	nvfp4   weight_packed U8 [out, in/2]   weight_scale F8_E4M3 [out, in/16]   weight_global_scale F32 [1]
//	mxfp4   weight_packed U8 [out, in/2]   weight_scale U8 or F8_E8M0 [out, in/32]
//
// Stacks of experts have one more dimension in front, and may have one second scale for each expert.
// (compressed-tensors 0.20.1: compressors/nvfp4/base.py, compressors/mxfp4/base.py,
// quantization/lifecycle/forward_helpers.py _dequantize; Model-Optimizer a2fbac7: quantization/qtensor/nvfp4_tensor.py)
func FP4(w *Weight, holds parts.Role, second Second) (*Matrix, error) {
	if err := w.need(holds, parts.Scale); err != nil {
		return nil, err
	}
	t, s := w.Parts[holds], w.Parts[parts.Scale]
	n := len(t.Shape)
	if n < 2 || len(s.Shape) != n || !slices.Equal(t.Shape[:n-1], s.Shape[:n-1]) {
		return nil, fmt.Errorf("its scales %s do not fit the bytes %s", s.ShapeString(), t.ShapeString())
	}
	shape := slices.Clone(t.Shape)
	shape[n-1] *= 2
	a := &Affine{Do: Less}
	m, err := matrix(shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	if s.Shape[n-1] <= 0 || m.Cols%s.Shape[n-1] != 0 {
		return nil, fmt.Errorf("its scales %s do not fit the bytes %s", s.ShapeString(), t.ShapeString())
	}
	a.Scale = Grid{Rows: m.Rows, Cols: s.Shape[n-1], Height: 1, Width: m.Cols / s.Shape[n-1]}
	if err := w.fp4(a, t, s, m.Rows); err != nil || second == NoSecond {
		return m, err
	}
	role := parts.Scale2
	if second == Divided {
		role = parts.GlobalScale
	}
	a.Scale.Fill, err = w.secondary(a.Scale.Fill, role, m, second == Divided)
	return m, err
}

// fp4 sets the codes of so many rows, and their scales.
func (w *Weight) fp4(a *Affine, t, s *safetensors.Tensor, rows int64) error {
	p, err := NewBytes(t, rows)
	if err != nil {
		return err
	}
	a.Codes = Lookup(Bits(p, 4, 0), e2m1[:])
	dtype := s.Dtype
	if dtype == safetensors.U8 {
		dtype = safetensors.F8_E8M0
	}
	p, err = As(s, dtype, a.Scale.Cols)
	a.Scale.Fill = p.Fill
	return err
}

// secondary returns scales that are multiplied or divided by another: one, or one for each expert.
func (w *Weight) secondary(scales Fill, role parts.Role, m *Matrix, divided bool) (Fill, error) {
	if err := w.need(role); err != nil {
		return nil, err
	}
	t := w.Parts[role]
	n := t.NumElems()
	if n != 1 && (len(m.Shape) != 3 || n != m.Shape[0]) || !w.is(role, parts.Float) {
		return nil, fmt.Errorf("its %s is %s %s, not one float, or one for each expert", role, t.Dtype, t.ShapeString())
	}
	p, err := NewPart(t, 1)
	rows := m.Rows / n
	return func(dst []float32, b Box) error {
		first, last := b.Row/rows, (b.Row+b.Rows-1)/rows
		seconds := make([]float32, last-first+1)
		if err := p.Fill(seconds, Box{first, last - first + 1, 0, 1}); err != nil {
			return err
		}
		if err := scales(dst, b); err != nil {
			return err
		}
		for i := range b.Rows {
			second, line := seconds[(b.Row+i)/rows-first], dst[i*b.Cols:][:b.Cols]
			for k := range line {
				if divided {
					line[k] /= second
				} else {
					line[k] *= second
				}
			}
		}
		return nil
	}, err
}

// Blocks returns the values of gpt-oss, whose experts multiply inputs from the left: they are transposed, as in models
// that are not packed.
//
//	experts.down_proj_blocks U8 [experts, out, in/32, 16]   experts.down_proj_scales U8 [experts, out, in/32]
//	experts.down_proj [experts, in, out]
//
// (transformers 5.24: integrations/mxfp4.py _convert_moe_packed_tensors)
func Blocks(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Blocks, parts.Scales); err != nil {
		return nil, err
	}
	t, s := w.Parts[parts.Blocks], w.Parts[parts.Scales]
	if len(t.Shape) != 4 || t.Shape[3] != 16 || !slices.Equal(s.Shape, t.Shape[:3]) {
		return nil, fmt.Errorf("its blocks %s and scales %s do not have the shapes of experts", t.ShapeString(),
			s.ShapeString())
	}
	out, in := t.Shape[1], t.Shape[2]*32
	a := &Affine{Do: Less}
	m, err := matrix([]int64{t.Shape[0], in, out}, nil)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	rows := t.Shape[0] * out
	a.Scale = Grid{Rows: rows, Cols: t.Shape[2], Height: 1, Width: 32}
	if err := w.fp4(a, t, s, rows); err != nil {
		return nil, err
	}
	m.Fill = turnedEach(a.Fill, in, out)
	return m, nil
}

// turnedEach returns a stack of matrices with the given rows and columns: each is the transpose of a matrix in of.
func turnedEach(of Fill, rows, cols int64) Fill {
	return func(dst []float32, b Box) error {
		for b.Rows > 0 {
			at := b.Row / rows
			n := min(b.Rows, (at+1)*rows-b.Row)
			shifted := func(dst []float32, s Box) error {
				s.Row += at * cols
				return of(dst, s)
			}
			if err := Turned(shifted)(dst[:n*b.Cols], Box{b.Row - at*rows, n, b.Col, b.Cols}); err != nil {
				return err
			}
			dst, b.Row, b.Rows = dst[n*b.Cols:], b.Row+n, b.Rows-n
		}
		return nil
	}
}

// packedFP4 returns the values of compressed-tensors' floats of 4 bits.
func packedFP4(w *Weight, v scheme.Values, _ *scheme.Context) (*Matrix, error) {
	switch {
	case v.Name == "nvfp4" && w.Parts[parts.Scale2] == nil:
		return FP4(w, parts.Packed, Divided)
	case v.Name == "mxfp4" && w.Parts[parts.Scale2] == nil && w.Parts[parts.GlobalScale] == nil:
		return FP4(w, parts.Packed, NoSecond)
	}
	return nil, ErrUnknown
}

// blockScaled returns the values of bytes with scales: floats of 4 bits as ModelOpt and DeepSeek store them, and
// compressed-tensors' int-quantized.
func blockScaled(w *Weight, v scheme.Values, c *scheme.Context) (*Matrix, error) {
	switch {
	case v.Name == "nvfp4" && w.Parts[parts.GlobalScale] == nil:
		return FP4(w, parts.Weight, Multiplied)
	case v.Name == "mxfp4" && w.Parts[parts.Scale2] == nil && w.Parts[parts.GlobalScale] == nil:
		return FP4(w, parts.Weight, NoSecond)
	}
	return intQuantized(w, v, c)
}
