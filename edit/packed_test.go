// Casts of models with packed weights.

package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// typed returns a tensor of zeros.
func typed(t *testing.T, name string, dtype safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	t.Helper()
	ti := safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: shape}
	size, ok := dtype.Size(ti.NumElems())
	if !ok {
		t.Fatal(dtype)
	}
	ti.Offsets.End = size
	return &safetensors.Tensor{TensorInfo: ti, ReaderAt: strings.NewReader(strings.Repeat("\x00", int(size)))}
}

// A cast to BF16 leaves the parts of packed weights as they are, whatever packed them, and casts the rest. The
// names are those of published files: DeepSeek-V3, compressed-tensors, GPTQ, AWQ, bitsandbytes, MLX, HQQ, gpt-oss.
func TestCastOfPackedWeights(t *testing.T) {
	for name, module := range map[string][]*safetensors.Tensor{
		"FP8 with block scales":   {typed(t, "l.q_proj.weight", "F8_E4M3", 128, 128), typed(t, "l.q_proj.weight_scale_inv", "F32", 1, 1)},
		"FP8 with input scales":   {typed(t, "l.q_proj.weight", "F8_E4M3", 8, 8), typed(t, "l.q_proj.weight_scale", "F32", 1), typed(t, "l.q_proj.input_scale", "F32", 1), typed(t, "l.k_scale", "F32", 1)},
		"INT8":                    {typed(t, "l.q_proj.weight", "I8", 8, 8), typed(t, "l.q_proj.weight_scale", "F32", 8, 1)},
		"INT4 compressed-tensors": {typed(t, "l.q_proj.weight_packed", "I32", 8, 1), typed(t, "l.q_proj.weight_scale", "F32", 8, 1), typed(t, "l.q_proj.weight_shape", "I64", 2)},
		"GPTQ":                    {typed(t, "l.q_proj.qweight", "I32", 1, 8), typed(t, "l.q_proj.scales", "F32", 1, 8), typed(t, "l.q_proj.qzeros", "I32", 1, 1)},
		"NF4":                     {typed(t, "l.q_proj.weight", "U8", 32, 1), typed(t, "l.q_proj.weight.absmax", "F32", 1), typed(t, "l.q_proj.weight.quant_map", "F32", 16)},
		"bitsandbytes INT8":       {typed(t, "l.q_proj.weight", "I8", 8, 8), typed(t, "l.q_proj.SCB", "F32", 8)},
		"MLX":                     {typed(t, "l.q_proj.weight", "U32", 8, 1), typed(t, "l.q_proj.scales", "F32", 8, 1), typed(t, "l.q_proj.biases", "F32", 8, 1)},
		"HQQ":                     {typed(t, "l.q_proj.W_q", "U8", 8, 4), typed(t, "l.q_proj.scale", "F32", 8, 1), typed(t, "l.q_proj.zero", "F32", 8, 1)},
		"an expert of gpt-oss":    {typed(t, "l.up_proj_blocks", "U8", 2, 8, 1, 16), typed(t, "l.up_proj_scales", "U8", 2, 8, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(module, of(t, "l.norm.weight", float32(1)), of(t, "l.q_proj.bias", float32(1)), of(t, "logit_scale", float32(1)))
			src := write(t, safetensors.Encoder{}, all...)
			out := filepath.Join(t.TempDir(), "out.safetensors")
			r, err := (&edit.Edit{Cast: []edit.Cast{{To: "BF16"}}}).Write(t.Context(), src, out)
			if err != nil {
				t.Fatal(err)
			}
			p, left := parse(t, out), 0
			for _, part := range module {
				if got := p.entries[part.Name].Dtype; got != string(part.Dtype) {
					t.Errorf("%s became %s", part.Name, got)
				}
			}
			for _, row := range r.Tensors {
				if row.Packed {
					left++
				}
			}
			if left != len(module) {
				t.Errorf("the receipt has %d tensors that were left alone, want %d", left, len(module))
			}
			for _, other := range []string{"l.norm.weight", "l.q_proj.bias", "logit_scale"} {
				if got := p.entries[other].Dtype; got != "BF16" {
					t.Errorf("%s is %s", other, got)
				}
			}
		})
	}
}

// Packed values are not cast without their scales. Without scales, they are numbers.
func TestCastOfPackedValues(t *testing.T) {
	cast := &edit.Edit{Cast: []edit.Cast{{From: "F8_E4M3", To: "BF16"}}}
	weight, scale := typed(t, "q.weight", "F8_E4M3", 8, 8), typed(t, "q.weight_scale", "F32", 1)
	out := filepath.Join(t.TempDir(), "out.safetensors")
	_, err := cast.Write(t.Context(), write(t, safetensors.Encoder{}, weight, scale), out)
	if !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), `tensor "q.weight", which is quantized, without its scales`) {
		t.Errorf("error %v", err)
	}
	if _, err := cast.Write(t.Context(), write(t, safetensors.Encoder{}, weight), out); err != nil {
		t.Error(err)
	}
}

// A cast of packed weights alone, and of others that have the dtype already, would change nothing, and is refused. A
// model without packed weights may have the dtype already.
func TestCastOfPackedWeightsAlone(t *testing.T) {
	cast := &edit.Edit{Cast: []edit.Cast{{To: "BF16"}}}
	norm := typed(t, "l.norm.weight", "BF16", 8)
	for _, scale := range []safetensors.Dtype{"F32", "BF16", "F8_E8M0"} {
		out := filepath.Join(t.TempDir(), "out.safetensors")
		packed := []*safetensors.Tensor{norm, typed(t, "q.weight", "F8_E4M3", 8, 8), typed(t, "q.weight_scale", scale, 8, 1)}
		_, err := cast.Write(t.Context(), write(t, safetensors.Encoder{}, packed...), out)
		if !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), "here 2 tensors, keep their dtypes") {
			t.Errorf("scales of %s: %v", scale, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("scales of %s: there is an output", scale)
		}
	}
	out := filepath.Join(t.TempDir(), "out.safetensors")
	if _, err := cast.Write(t.Context(), write(t, safetensors.Encoder{}, norm), out); err != nil {
		t.Error(err)
	}
}
