// Weights that are packed along their inputs or outputs, and stored transposed: GPTQ and AWQ.

package dequant

import (
	"fmt"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// GPTQ returns the values of GPTQ.
//
//	qweight I32 [in·bits/32, out]   qzeros I32 [groups, out·bits/32]   scales [groups, out]   g_idx I32 [in]
//
// (GPTQModel 7.7.0: utils/model_dequant.py convert_gptq_file, nn_modules/qlinear/__init__.py dequantize_weight)
func GPTQ(w *Weight) (*Matrix, error) {
	a, shape, err := w.columns()
	if err != nil {
		return nil, err
	}
	t := w.Parts[parts.QWeight]
	in := clamp.MulDiv(t.Shape[0], int64(t.Dtype.Bits()), w.Bits)
	if index := w.shape(parts.GroupIndex); len(index) == 1 {
		in = index[0]
	}
	out := shape[1]
	if t.Shape[1] != out || clamp.CeilDiv(clamp.Mul(in, w.Bits), int64(t.Dtype.Bits())) != t.Shape[0] {
		return nil, fmt.Errorf("its words %s do not hold %d by %d integers of %d bits", t.ShapeString(), out, in, w.Bits)
	}
	m, err := matrix([]int64{out, in}, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	p, err := NewPart(t, out)
	if err != nil {
		return nil, err
	}
	if p, err = p.Transposed(); err != nil {
		return nil, err
	}
	if p, err = NewBytes(p.t, out); err != nil {
		return nil, err
	}
	a.Codes = Bits(p, w.Bits, 0)
	zeros, err := NewBytes(w.Parts[parts.Zeros], shape[0])
	if err != nil {
		return nil, err
	}
	if zeros.Cols != clamp.CeilDiv(clamp.Mul(out, w.Bits), int64(t.Dtype.Bits()))*int64(t.Dtype.Bits()/8) {
		return nil, fmt.Errorf("its zero points %s do not fit %d outputs", w.Parts[parts.Zeros].ShapeString(), out)
	}
	mask := int64(1)<<w.Bits - 1
	table := make([]float32, mask+1)
	for i := range table {
		table[i] = float32((int64(i) + w.Offset) & mask)
	}
	a.Second = Turned(Lookup(Bits(zeros, w.Bits, 0), table))
	width, err := w.groupOf(in, a.Scale.Cols)
	a.Scale.Width = width
	if bad := w.index(a, in); bad != nil {
		return nil, bad
	}
	if a.Scale.Groups.t != nil {
		return m, nil
	}
	return m, err
}

// columns returns what GPTQ and AWQ have in common, and the shape of the scales.
func (w *Weight) columns() (a *Affine, shape []int64, err error) {
	if err := w.need(parts.QWeight, parts.Zeros, parts.Scales); err != nil {
		return nil, nil, err
	}
	t, s, z := w.Parts[parts.QWeight], w.Parts[parts.Scales], w.Parts[parts.Zeros]
	if len(t.Shape) != 2 || len(s.Shape) != 2 || len(z.Shape) != 2 || s.NumElems() == 0 || s.Shape[0] != z.Shape[0] ||
		t.Dtype != z.Dtype || !w.is(parts.QWeight, parts.Integer|parts.Int64) || w.Bits < 1 || w.Bits > 8 {
		return nil, nil, fmt.Errorf("its scales %s and zero points %s do not fit its words %s", s.ShapeString(),
			z.ShapeString(), t.ShapeString())
	}
	p, err := NewPart(s, s.Shape[1])
	if err != nil {
		return nil, nil, err
	}
	if p, err = p.Transposed(); err != nil {
		return nil, nil, err
	}
	a = &Affine{Do: Less, Scale: Grid{Fill: p.Fill, Rows: p.Rows, Cols: p.Cols, Height: 1}}
	return a, s.Shape, nil
}

// AWQ returns the values of AutoAWQ with 4 bits, in version gemm.
//
//	qweight I32 [in, out/8]   qzeros I32 [groups, out/8]   scales [groups, out]
//
// (AutoAWQ 0.2.9: awq/utils/packing_utils.py dequantize_gemm)
func AWQ(w *Weight) (*Matrix, error) {
	a, shape, err := w.columns()
	if err != nil {
		return nil, err
	}
	t, z := w.Parts[parts.QWeight], w.Parts[parts.Zeros]
	in, out := t.Shape[0], shape[1]
	if w.Bits != 4 || !w.is(parts.QWeight, parts.Int32) || clamp.Mul(t.Shape[1], 8) != out || z.Shape[1] != t.Shape[1] {
		return nil, fmt.Errorf("its words %s do not hold %d outputs of 4 bits", t.ShapeString(), out)
	}
	m, err := matrix([]int64{out, in}, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	words, err := NewPart(t, t.Shape[1])
	if err != nil {
		return nil, err
	}
	if words, err = words.Transposed(); err != nil {
		return nil, err
	}
	zeros, err := NewPart(z, z.Shape[1])
	if err != nil {
		return nil, err
	}
	if zeros, err = zeros.Transposed(); err != nil {
		return nil, err
	}
	a.Codes, a.Second = interleaved(words), interleaved(zeros)
	a.Scale.Width, err = w.groupOf(in, shape[0])
	return m, err
}

// interleaved returns integers of 4 bits. Each row of words packs eight rows of integers, in the order 0, 2, 4, 6, 1,
// 3, 5, 7.
func interleaved(p Part) Fill {
	return func(dst []float32, b Box) error {
		first, last := b.Row/8, (b.Row+b.Rows-1)/8
		src, err := p.bytes(Box{first, last - first + 1, b.Col, b.Cols})
		if err != nil {
			return err
		}
		for row := range b.Rows {
			r := b.Row + row
			words, shift := src[4*b.Cols*(r/8-first):], r%8/2*4+r%2*16
			for i := range dst[row*b.Cols:][:b.Cols] {
				dst[row*b.Cols+int64(i)] = float32(word(words, int64(i)) >> shift & 15)
			}
		}
		return nil
	}
}
