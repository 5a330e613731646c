// Quantized tensors: their integers, and beside them what these stand for.

package torch

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
)

// quantizedAs has the dtypes of the integers. The others have several in a byte.
var quantizedAs = map[string]string{"qint8": "int8", "quint8": "uint8", "qint32": "int32"}

// quantized returns the integers of a quantized tensor, with the scale and the zero point
// of which each number is made, (q - zero_point) * scale: of the whole tensor, or of each
// index of one dimension (torch/_utils.py, _rebuild_qtensor).
func (b *builder) quantized(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	kind := storageDtypes[st.class]
	switch {
	case quantizedAs[kind] == "":
		return nil, unsupportedf("a quantized tensor of %s: save it as it is after dequantize()", quoted(kind))
	case !b.opts.Quantized:
		return nil, unsupported{"a quantized tensor, of integers with scales", FormQuantized}
	}
	const none = 99 // there is no argument for metadata
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
		err = unsupportedf("a quantized tensor with the scheme %s", quoted(scheme))
	}
	return v, err
}

// wholeScale returns the scale and the zero point of all numbers.
func wholeScale(how pickle.Value) ([]beside, error) {
	scale, ok := how.Item(1).Float()
	zero, ok2 := how.Item(2).Int()
	if !ok || !ok2 {
		return nil, refuse("its scale is %s and its zero point %s, and a float and an int are due", whatIs(how.Item(1)), whatIs(how.Item(2)))
	}
	return []beside{
		{".scale", scalar(safetensors.F64, math.Float64bits(scale))},
		{".zero_point", scalar(safetensors.I64, uint64(zero))},
	}, nil
}

// scales returns the scales and the zero points of a dimension, and which that is.
func (b *builder) scales(how pickle.Value) ([]beside, error) {
	if !b.isTensor(how.Item(1)) || !b.isTensor(how.Item(2)) {
		return nil, unsupportedf("a quantized tensor whose scales are %s, and no tensor", whatIs(how.Item(1)))
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
		return nil, refuse("its axis is %s, and an int is due", whatIs(how.Item(3)))
	}
	return []beside{{".scale", scale}, {".zero_point", zero}, {".axis", scalar(safetensors.I64, uint64(axis))}}, nil
}

// scalar returns a tensor of one number of 64 bits, which is in no storage.
func scalar(d safetensors.Dtype, bits uint64) *view {
	b := binary.LittleEndian.AppendUint64(nil, bits)
	return &view{storage: new(storage), dtype: d, shape: []int64{}, elements: 1, made: bytes.NewReader(b)}
}
