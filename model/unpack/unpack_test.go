package unpack_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model/unpack"
)

// tensor returns a tensor of the given bytes.
func tensor(t *testing.T, name string, d safetensors.Dtype, shape []int64, b []byte) *safetensors.Tensor {
	t.Helper()
	x, err := safetensors.TensorAt(name, d, shape, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// random returns a tensor of random bits, and the bits.
func random(t *testing.T, name string, d safetensors.Dtype, shape ...int64) (*safetensors.Tensor, []byte) {
	t.Helper()
	n := int64(d.Bits())
	for _, dim := range shape {
		n *= dim
	}
	b := make([]byte, n/8)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return tensor(t, name, d, shape, b), b
}

// floats returns a tensor of floats of 32 bits.
func floats(t *testing.T, name string, shape []int64, values ...float32) *safetensors.Tensor {
	t.Helper()
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return tensor(t, name, safetensors.F32, shape, b)
}

// weights finds the packed weights among tensors, with the text of config.json.
func weights(config string, tensors ...*safetensors.Tensor) *unpack.Weights {
	return unpack.Of(&unpack.Source{Files: []unpack.File{{Tensors: tensors}}, Beside: func(name string) ([]byte, error) {
		if name == "config.json" && config != "" {
			return []byte(config), nil
		}
		return nil, fs.ErrNotExist
	}})
}

// e4m3 is the definition of F8_E4M3.
func e4m3(b byte) float32 {
	sign, exponent, mantissa := float32(1), int(b>>3&15), float64(b&7)
	if b >= 128 {
		sign = -1
	}
	switch {
	case exponent == 15 && mantissa == 7:
		return float32(math.NaN())
	case exponent == 0:
		return sign * float32(math.Ldexp(mantissa/8, -6))
	}
	return sign * float32(math.Ldexp(1+mantissa/8, exponent-7))
}

// e2m1 is the definition of floats of 4 bits.
func e2m1(b byte) float32 {
	all := [...]float32{0, 0.5, 1, 1.5, 2, 3, 4, 6}
	if b&8 != 0 {
		return -all[b&7]
	}
	return all[b&7]
}

// e8m0 is the definition of a scale that is a power of two.
func e8m0(b byte) float32 {
	if b == 255 {
		return float32(math.NaN())
	}
	return float32(math.Ldexp(1, int(b)-127))
}

// compare compares a weight with the definition of its elements, as a whole and in slices.
func compare(t *testing.T, w *unpack.Weight, shape []int64, at func(i int64) float32) {
	t.Helper()
	if w == nil {
		t.Fatal("not packed")
	}
	x, err := w.Tensor()
	if err != nil {
		t.Fatal(err)
	}
	if x.Name != w.Name || x.Dtype != safetensors.F32 || !slices.Equal(x.Shape, shape) {
		t.Fatalf("%s %s %s, want %v", x.Name, x.Dtype, x.ShapeString(), shape)
	}
	got, err := safetensors.Read[float32](x)
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }
	for i, x := range got {
		if want := at(int64(i)); !same(x, want) {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
	for range min(20, 20*len(shape)) { // a column of the last axis, from a random place on
		first, n := rand.Int64N(shape[len(shape)-1]), shape[len(shape)-1]
		ranges := make([]safetensors.Range, len(shape))
		ranges[len(shape)-1] = safetensors.Between(first, first+1)
		column, err := x.Slice(ranges...)
		if err != nil {
			t.Fatal(err)
		}
		values, err := safetensors.Read[float32](column)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range values {
			if want := at(int64(i)*n + first); !same(x, want) {
				t.Fatalf("element %d of column %d is %v, want %v", i, first, x, want)
			}
		}
	}
}

// counted returns n different scales.
func counted(n int64) (all []float32) {
	for i := range n {
		all = append(all, 0.001*float32(i+1))
	}
	return all
}

func TestFP8(t *testing.T) {
	const deepseek = `{"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}`
	const small = `{"quantization_config": {"quant_method": "fp8", "weight_block_size": [16, 32]}}`
	for _, test := range []struct {
		name, config string
		w, s         []int64
		scale        func(row, col int64) int64 // of the element in row and column
	}{
		{"tensor", "", []int64{3, 5}, nil, func(_, _ int64) int64 { return 0 }},
		{"tensor of one", "", []int64{3, 5}, []int64{1}, func(_, _ int64) int64 { return 0 }},
		{"rows", "", []int64{3, 5}, []int64{3, 1}, func(row, _ int64) int64 { return row }},
		{"rows without axis", "", []int64{3, 5}, []int64{3}, func(row, _ int64) int64 { return row }},
		{"columns", "", []int64{3, 5}, []int64{1, 5}, func(_, col int64) int64 { return col }},
		{"tiles", deepseek, []int64{300, 200}, []int64{3, 2}, func(row, col int64) int64 { return row/128*2 + col/128 }},
		{"usual tiles", "", []int64{300, 200}, []int64{3, 2}, func(row, col int64) int64 { return row/128*2 + col/128 }},
		{"small tiles", small, []int64{40, 70}, []int64{3, 3}, func(row, col int64) int64 { return row/16*3 + col/32 }},
		{"ModelOpt", "", []int64{300, 200}, []int64{3, 1, 2, 1}, func(row, col int64) int64 { return row/128*2 + col/128 }},
		{"experts", "", []int64{2, 3, 5}, []int64{2, 1, 5}, func(row, col int64) int64 { return row/3*5 + col }},
		{"experts by row", "", []int64{2, 3, 5}, []int64{2, 3, 1}, func(row, _ int64) int64 { return row }},
		{"one for each expert", "", []int64{2, 3, 5}, []int64{2}, func(row, _ int64) int64 { return row / 3 }},
		{"tiles of experts", deepseek, []int64{2, 200, 300}, []int64{2, 2, 3},
			func(row, col int64) int64 { return row/200*6 + row%200/128*3 + col/128 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, b := random(t, "m.0.proj.weight", safetensors.F8_E4M3, test.w...)
			n := int64(1)
			for _, d := range test.s {
				n *= d
			}
			scales := counted(n)
			ws := weights(test.config, w, floats(t, "m.0.proj.weight_scale", test.s, scales...))
			cols := test.w[len(test.w)-1]
			compare(t, ws.Of("m.0.proj.weight_scale"), test.w, func(i int64) float32 {
				return e4m3(b[i]) * scales[test.scale(i/cols, i%cols)]
			})
		})
	}
}

func TestMXFP8(t *testing.T) {
	w, b := random(t, "x.weight", safetensors.F8_E4M3, 3, 64)
	s, exponents := random(t, "x.weight_scale", safetensors.U8, 3, 2)
	compare(t, weights("", w, s).Of("x.weight"), []int64{3, 64}, func(i int64) float32 {
		return e4m3(b[i]) * e8m0(exponents[i/32])
	})
}

func TestNVFP4(t *testing.T) {
	s, scales := random(t, "x.weight_scale", safetensors.F8_E4M3, 3, 4)
	element := func(b []byte, i int64) float32 { return e2m1(b[i/2] >> (4 * (i % 2)) & 15) }

	w, b := random(t, "x.weight_packed", safetensors.U8, 3, 32)
	ct := weights(`{"quantization_config": {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"}}`,
		w, s, floats(t, "x.weight_global_scale", []int64{1}, 1234.5), floats(t, "x.input_global_scale", []int64{1}, 7)).Of("x.weight")
	compare(t, ct, []int64{3, 64}, func(i int64) float32 { return element(b, i) * (e4m3(scales[i/16]) / 1234.5) })

	w, b2 := random(t, "x.weight", safetensors.U8, 3, 32)
	mo := weights("", w, s, floats(t, "x.weight_scale_2", nil, 0.0123)).Of("x.weight")
	compare(t, mo, []int64{3, 64}, func(i int64) float32 { return element(b2, i) * (e4m3(scales[i/16]) * 0.0123) })
}

func TestMXFP4(t *testing.T) {
	s, scales := random(t, "x.weight_scale", safetensors.U8, 3, 2)
	w, b := random(t, "x.weight_packed", safetensors.U8, 3, 32)
	element := func(i int64) float32 { return e2m1(b[i/2]>>(4*(i%2))&15) * e8m0(scales[i/32]) }
	compare(t, weights("", w, s).Of("x.weight_packed"), []int64{3, 64}, element)

	// gpt-oss: two experts of 3 outputs and 64 inputs, which are stored transposed.
	w, b = random(t, "e.up_proj_blocks", safetensors.U8, 2, 3, 2, 16)
	s, scales = random(t, "e.up_proj_scales", safetensors.U8, 2, 3, 2)
	got := weights("", w, s).Of("e.up_proj_scales")
	compare(t, got, []int64{2, 64, 3}, func(i int64) float32 {
		expert, in, out := i/192, i%192/3, i%3
		return element((expert*3+out)*64 + in)
	})
	if got.Name != "e.up_proj" || got.Scheme != "mxfp4" || got.Bits != 4 {
		t.Error(got.Name, got.Scheme, got.Bits)
	}
}

// Weights that stay packed, and the reason.
func TestLeftPacked(t *testing.T) {
	f8 := func(name string, shape ...int64) *safetensors.Tensor {
		x, _ := random(t, name, safetensors.F8_E4M3, shape...)
		return x
	}
	words, _ := random(t, "x.qweight", safetensors.I32, 4, 4)
	for _, test := range []struct {
		name, why string
		tensors   []*safetensors.Tensor
	}{
		{"a part that scales the inputs", "x.pre_quant_scale", []*safetensors.Tensor{f8("x.weight", 4, 4),
			floats(t, "x.weight_scale", nil, 1), floats(t, "x.pre_quant_scale", []int64{4}, 1, 1, 1, 1)}},
		{"two scales", "both", []*safetensors.Tensor{f8("x.weight", 4, 4), floats(t, "x.weight_scale", nil, 1),
			floats(t, "x.weight_scale_inv", nil, 1)}},
		{"tiles of unknown size", "scales", []*safetensors.Tensor{f8("x.weight", 60, 60),
			floats(t, "x.weight_scale", []int64{3, 3}, counted(9)...)}},
		{"an unknown scheme", "unknown scheme", []*safetensors.Tensor{words, floats(t, "x.weight_codebook", []int64{1}, 1),
			floats(t, "x.absmax", []int64{1}, 1)}},
	} {
		w := weights("", test.tensors...).Of(test.tensors[0].Name)
		if w == nil {
			t.Errorf("%s: not packed", test.name)
			continue
		}
		if _, err := w.Tensor(); err == nil || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	x := floats(t, "x.weight", []int64{1}, 1)
	w := weights("", x, words, floats(t, "x.scales", []int64{1, 4}, 1, 1, 1, 1)).Of("x.qweight")
	if _, err := w.Tensor(); err == nil || errors.Is(err, unpack.ErrUnknown) || !strings.Contains(err.Error(), "also has a plain tensor \"x.weight\"") {
		t.Error(err)
	}
}

// Tensors that are no packed weights.
func TestPlain(t *testing.T) {
	alone, _ := random(t, "y.weight", safetensors.F8_E4M3, 4, 4) // numbers like any others
	ids, _ := random(t, "position_ids", safetensors.I64, 4)
	cache := floats(t, "attn.k_scale", nil, 1)
	ws := weights("", floats(t, "norm.scale", []int64{1}, 1), floats(t, "x.weight", []int64{1}, 1), alone, ids, cache)
	if len(ws.All) != 0 || ws.Idle(cache) {
		t.Error(ws.All)
	}
	w, _ := random(t, "x.weight", safetensors.F8_E4M3, 4, 4)
	ws = weights("", w, floats(t, "x.weight_scale", nil, 1), floats(t, "x.input_scale", nil, 1), cache, alone)
	if len(ws.All) != 1 || len(ws.All[0].Parts) != 3 || !ws.Idle(cache) || ws.Idle(alone) || ws.Of("y.weight") != nil {
		t.Error(ws.All)
	}
}

// A number with a scale is no matrix.
func TestScalar(t *testing.T) {
	x, b := random(t, "x.weight", safetensors.I8)
	w := weights(`{"quantization_config": {"quant_method": "compressed-tensors"}}`, x, floats(t, "x.weight_scale", nil, 0.5)).Of("x.weight")
	compare(t, w, nil, func(int64) float32 { return float32(int8(b[0])) * 0.5 })
}
