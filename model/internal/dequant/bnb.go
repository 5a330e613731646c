// bitsandbytes.

package dequant

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// BnB4 returns the values of bitsandbytes with 4 bits: nf4 and fp4, whose scales may be quantized themselves.
//
//	weight U8 [ceil(n/2), 1], in any dtype   weight.absmax F32 [blocks]   weight.quant_map F32 [16]
//	weight.quant_state.bitsandbytes__nf4 U8, with the shape, the block size, and the offset of nested scales
//	weight.absmax U8 [blocks]   weight.nested_absmax F32 [blocks/256]   weight.nested_quant_map F32 [256]
//
// (bitsandbytes 0.50.2: functional.py dequantize_4bit, QuantState.from_dict; backends/default/ops.py)
func BnB4(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Weight, parts.Absmax, parts.QuantMap, parts.QuantState); err != nil {
		return nil, err
	}
	state, err := object(w.Parts[parts.QuantState])
	if err != nil {
		return nil, err
	}
	block, ok := state.Get("blocksize").Int()
	shape, okShape := ints(state.Get("shape"))
	t := w.Parts[parts.Weight]
	if n := clamp.Product(shape); !ok || !okShape || block <= 0 || clamp.CeilDiv(n, 2) > t.Size() || n == 0 {
		return nil, fmt.Errorf("its quant_state has the block size %d and the shape %v, which do not fit %d bytes", block,
			shape, t.Size())
	}
	p, err := NewBytes(t, 1)
	if err != nil {
		return nil, err
	}
	table, err := w.table(parts.QuantMap, 16)
	if err != nil {
		return nil, err
	}
	scales, n, err := w.absmax(state)
	if err == nil && clamp.Mul(n, block) < clamp.Product(shape) {
		err = fmt.Errorf("its %d scales are too few for blocks of %d", n, block)
	}
	if err != nil {
		return nil, err
	}
	a := &Affine{Codes: Lookup(High(p), table), Do: Less,
		Scale: Grid{Fill: scales, Rows: 1, Cols: n, Height: 1, Width: block}}
	return flat(shape, a.Fill)
}

// absmax returns the scales of bitsandbytes in one row, and their number.
func (w *Weight) absmax(state jsonscan.Value) (Fill, int64, error) {
	t := w.Parts[parts.Absmax]
	n := t.NumElems()
	p, err := NewPart(t, max(n, 1))
	if err != nil || !w.is(parts.Absmax, parts.U8) {
		return p.Fill, n, err
	}
	if err := w.need(parts.NestedAbsmax, parts.NestedMap); err != nil {
		return nil, 0, err
	}
	size, ok := state.Get("nested_blocksize").Int()
	offset, bad := strconv.ParseFloat(string(state.Get("nested_offset").Text()), 64)
	outer := w.Parts[parts.NestedAbsmax]
	if !ok || bad != nil || size <= 0 || clamp.Mul(outer.NumElems(), size) < n {
		return nil, 0, fmt.Errorf("its quant_state does not fit %d nested scales", outer.NumElems())
	}
	table, err := w.table(parts.NestedMap, 256)
	if err != nil {
		return nil, 0, err
	}
	of, err := NewPart(outer, outer.NumElems())
	if err != nil {
		return nil, 0, err
	}
	a := &Affine{Codes: Lookup(p.Fill, table), Do: Less,
		Scale: Grid{Fill: of.Fill, Rows: 1, Cols: of.Cols, Height: 1, Width: size}}
	return Added(a.Fill, float32(offset)), n, nil
}

// table reads the values of codes.
func (w *Weight) table(r parts.Role, n int64) ([]float32, error) {
	t := w.Parts[r]
	if t.NumElems() != n || !w.is(r, parts.Float) {
		return nil, fmt.Errorf("its %s is %s %s, not %d floats", r, t.Dtype, t.ShapeString(), n)
	}
	table := make([]float32, n)
	_, err := safetensors.DecodeAt(t, table, 0)
	return table, err
}

// BnB8 returns the values of bitsandbytes with 8 bits.
//
//	weight I8 [out, in]   SCB F32 [out]
//
// (bitsandbytes 0.50.2: _ops.py int8_vectorwise_dequant)
func BnB8(w *Weight) (*Matrix, error) {
	if err := w.need(parts.Weight, parts.ColumnMax); err != nil {
		return nil, err
	}
	t, s := w.Parts[parts.Weight], w.Parts[parts.ColumnMax]
	if len(t.Shape) != 2 || !slices.Equal(s.Shape, t.Shape[:1]) || !w.is(parts.Weight, parts.I8) {
		return nil, fmt.Errorf("its SCB %s does not have one scale for each row of %s", s.ShapeString(),
			t.ShapeString())
	}
	if f := w.Parts[parts.Extra]; f != nil { // weight_format, which is not 0 if the rows are in another order
		var format [1]float64
		if f.NumElems() != 1 || f.Dtype.Class() == safetensors.ClassComplex {
			return nil, fmt.Errorf("%w for its weight_format", ErrUnknown)
		}
		if _, err := safetensors.DecodeAt(f, format[:], 0); err != nil || format[0] != 0 {
			return nil, errors.Join(err, fmt.Errorf("%w for its weight_format %v", ErrUnknown, format[0]))
		}
	}
	a := &Affine{Do: func(codes []float32, scale, _ float32) {
		const reciprocal = float32(7.874015718698502e-3) // of 127
		for i, q := range codes {
			codes[i] = float32(q*scale) * reciprocal
		}
	}}
	m, err := matrix(t.Shape, a.Fill)
	if err != nil || m.Rows == 0 {
		return m, err
	}
	codes, err := NewPart(t, m.Cols)
	if err != nil {
		return nil, err
	}
	scales, err := NewPart(s, 1)
	a.Codes = codes.Fill
	a.Scale = Grid{Fill: scales.Fill, Rows: m.Rows, Cols: 1, Height: 1, Width: m.Cols}
	return m, err
}

// maxText is the longest JSON that is read from a tensor.
const maxText = 1 << 16

// object reads the JSON object that a tensor of bytes has.
func object(t *safetensors.Tensor) (jsonscan.Value, error) {
	if t.Size() > maxText {
		return jsonscan.Value{}, fmt.Errorf("its quant_state has %d bytes", t.Size())
	}
	b, err := t.Bytes()
	if err != nil {
		return jsonscan.Value{}, err
	}
	v, err := jsonscan.Parse(slices.Clone(b))
	if err != nil {
		return v, fmt.Errorf("its quant_state is not valid JSON: %w", err)
	}
	return v, nil
}

// ints returns an array of a few integers.
func ints(v jsonscan.Value) (all []int64, ok bool) {
	for e := range v.Elements() {
		n, ok := e.Int()
		if !ok || n < 0 || n == math.MaxInt64 || len(all) == 8 {
			return nil, false
		}
		all = append(all, n)
	}
	return all, len(all) > 0
}
