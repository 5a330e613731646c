// Quantized tensors: integers with their scales and zero points.

package torch

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// quantizedAs maps quantized dtypes to integers. Other dtypes store several values in a byte.
var quantizedAs = map[string]string{"qint8": "int8", "quint8": "uint8", "qint32": "int32"}

// quantized returns the integers of a quantized tensor, with the scales and zero points of the tensor or of each index
// of a dimension. A value is (q - zero_point) * scale (torch/_utils.py, _rebuild_qtensor).
func (b *builder) quantized(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	kind := torchfile.DtypeOf(st.class)
	switch {
	case quantizedAs[kind] == "":
		return nil, unsupportedf("a quantized tensor of %s: save it after dequantize()", quoted(kind))
	case !b.opts.Quantized:
		return nil, unsupported{why: "a quantized tensor", form: FormQuantized}
	}
	const none = 99 // there is no metadata argument
	v, err := b.view(st, quantizedAs[kind], args, none)
	if err != nil {
		return nil, err
	}
	how := args.Item(4)
	_, scheme, _ := how.Item(0).Global()
	switch scheme {
	case "per_tensor_affine":
		v.beside, err = wholeScale(how)
	case "per_channel_affine", "per_channel_affine_float_qparams":
		v.beside, err = b.scales(how)
	default:
		err = unsupportedf("a quantized tensor with scheme %s", quoted(scheme))
	}
	return v, err
}

// wholeScale returns the scale and the zero point of a whole tensor.
func wholeScale(how pickle.Value) ([]beside, error) {
	scale, ok := how.Item(1).Float()
	zero, ok2 := how.Item(2).Int()
	if !ok || !ok2 {
		return nil, refuse("the scale is %s and the zero point %s instead of a float and an int",
			tree.WhatIs(how.Item(1)), tree.WhatIs(how.Item(2)))
	}
	return []beside{
		{".scale", scalar(safetensors.F64, math.Float64bits(scale))},
		{".zero_point", scalar(safetensors.I64, uint64(zero))},
	}, nil
}

// scales returns the scales and zero points along a dimension, and its index.
func (b *builder) scales(how pickle.Value) ([]beside, error) {
	if !b.isTensor(how.Item(1)) || !b.isTensor(how.Item(2)) {
		return nil, unsupportedf("a quantized tensor with %s as scales", tree.WhatIs(how.Item(1)))
	}
	scale, err := b.tensor(how.Item(1))
	if err != nil {
		return nil, err
	}
	zero, err := b.tensor(how.Item(2))
	if err != nil {
		return nil, err
	}
	axis, ok := how.Item(3).Int()
	if !ok {
		return nil, refuse("the axis is %s instead of an int", tree.WhatIs(how.Item(3)))
	}
	return []beside{{".scale", scale}, {".zero_point", zero}, {".axis", scalar(safetensors.I64, uint64(axis))}}, nil
}

// scalar returns a tensor with a single 64-bit value, which has no storage.
func scalar(d safetensors.Dtype, bits uint64) *view {
	b := binary.LittleEndian.AppendUint64(nil, bits)
	return &view{storage: new(storage), dtype: d, shape: []int64{}, elements: 1, made: bytes.NewReader(b)}
}
