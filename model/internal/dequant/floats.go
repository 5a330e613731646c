// Floats of 8 bits with scales.

package dequant

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// usualTile is the side of a tile if the configuration does not give it, as in DeepSeek-V3 and its successors.
const usualTile = 128

// FP8 returns the values of floats of 8 bits, which are multiplied by one scale, one for each row or column, or one for
// each tile. Tile has the configured rows and columns of a tile, or nothing.
//
//	weight F8_E4M3 [out, in]   weight_scale: one, [out, 1], or [out/128, in/128], also called weight_scale_inv
//	weight F8_E4M3 [out, in]   weight_scale U8 or F8_E8M0 [out, in/32] (mxfp8)
//	weight F8_E4M3 [experts, in, out]   weight_scale [experts, 1, out] (fbgemm)
//
// (DeepSeek-V3 f6e34dd: README_WEIGHTS.md, inference/kernel.py weight_dequant; transformers 5.24:
// integrations/finegrained_fp8.py Fp8Dequantize, integrations/fbgemm_fp8.py; compressed-tensors 0.20.1:
// quantization/lifecycle/forward_helpers.py _dequantize; Model-Optimizer a2fbac7: export/quant_utils.py)
func FP8(w *Weight, tile []int64) (*Matrix, error) {
	if err := w.need(parts.Weight, parts.Scale); err != nil {
		return nil, err
	}
	t := w.Parts[parts.Weight]
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
	if a.Scale, err = w.tiles(m, tile); err != nil {
		return nil, err
	}
	if w.Parts[parts.Zeros] != nil {
		a.Second, err = w.likeScales(a)
	}
	return m, err
}

// tiles returns the scales of a weight, which may be for tiles of two dimensions.
func (w *Weight) tiles(m *Matrix, tile []int64) (g Grid, err error) {
	t := w.Parts[parts.Scale]
	shape, s := matrices(m.Shape), scaleShape(m.Shape, t.Shape)
	fault := fmt.Errorf("its scales %s do not fit the shape %v", t.ShapeString(), m.Shape)
	last := len(shape) - 1
	if len(s) != len(shape) || t.NumElems() == 0 {
		return g, fault
	}
	g = Grid{Rows: clamp.Product(s[:last]), Cols: s[last]}
	if last > 1 {
		g.Stack = shape[last-1]
		if !slices.Equal(s[:last-1], shape[:last-1]) {
			if clamp.Product(s) != 1 {
				return g, fault
			}
			g.Stack, shape[last-1] = 0, m.Rows
		}
	}
	height, width := int64(0), int64(0)
	if len(tile) == 2 {
		height, width = tile[0], tile[1]
	}
	if g.Height = side(shape[last-1], s[last-1], height); g.Height == 0 {
		return g, fault
	}
	if g.Width = side(shape[last], s[last], width); g.Width == 0 {
		return g, fault
	}
	dtype := t.Dtype
	if dtype == safetensors.U8 {
		dtype = safetensors.F8_E8M0
	}
	p, err := As(t, dtype, g.Cols)
	g.Fill = p.Fill
	return g, err
}

// matrices returns a shape with at least two dimensions.
func matrices(shape []int64) []int64 {
	shape = slices.Clone(shape)
	for len(shape) < 2 {
		shape = slices.Insert(shape, 0, 1)
	}
	return shape
}

// scaleShape returns the shape of scales with a dimension for each of the weight, or nil if it is unknown which it lacks.
func scaleShape(w, s []int64) []int64 {
	w = matrices(w)
	n := len(w)
	ones := slices.Repeat([]int64{1}, n)
	switch {
	case clamp.Product(s) == 1:
		return ones
	case len(s) == n:
		return slices.Clone(s)
	case n == 2 && len(s) == 4 && s[1] == 1 && s[3] == 1: // ModelOpt: [out/128, 1, in/128, 1]
		return []int64{s[0], s[2]}
	case len(s) == 1 && s[0] == w[0]: // one for each row, or for each expert
		ones[0] = s[0]
		return ones
	case n == 3 && len(s) == 2 && s[0] == w[0] && w[1] != w[2] && s[1] == w[1]:
		return []int64{s[0], s[1], 1}
	case n == 3 && len(s) == 2 && s[0] == w[0] && w[1] != w[2] && s[1] == w[2]:
		return []int64{s[0], 1, s[1]}
	case n == 3 && len(s) == 2 && s[0] == w[0] && s[1] == 1:
		return []int64{s[0], 1, 1}
	}
	return nil
}

// side returns how many of n rows or columns have one scale: all, one, as many as the configuration says, or a usual
// number. It returns 0 if it is unknown. The last tile may be smaller.
func side(n, scales, said int64) int64 {
	switch {
	case scales == 1:
		return n
	case scales == n:
		return 1
	case said > 0 && clamp.CeilDiv(n, said) == scales:
		return said
	case said == 0 && clamp.CeilDiv(n, usualTile) == scales:
		return usualTile
	case scales > 0 && n%scales == 0 && bits.OnesCount64(uint64(n/scales)) == 1:
		return n / scales
	}
	return 0
}
