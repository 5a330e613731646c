package unpack_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model/unpack"
)

// hostile names are those of parts of packed weights, and hostile configurations those of their methods.
var (
	hostileNames = []string{"weight", "weight_scale", "weight_scale_inv", "weight_scale_2", "weight_global_scale",
		"weight_packed", "weight_shape", "weight_zero_point", "weight_g_idx", "qweight", "qzeros", "scales", "g_idx", "biases",
		"weight.absmax", "weight.quant_map", "weight.nested_absmax", "weight.nested_quant_map",
		"weight.quant_state.bitsandbytes__nf4", "SCB", "W_q", "scale", "zero", "shape", "nbits", "axis", "weight._data",
		"weight._scale", "_weight_qdata", "_weight_scale", "blocks", "up_proj_blocks", "up_proj_scales", "comfy_quant"}
	hostileConfigs = []string{"", `{"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}`,
		`{"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 0}}`,
		`{"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 1]}}`,
		`{"quantization": {"bits": 3, "group_size": 64}}`,
		`{"quantization_config": {"quant_method": "compressed-tensors", "format": "int-quantized"}}`,
		`{"quantization_config": {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 3}}}}`}
	hostileDims = []int64{0, 1, 2, 3, 8, 16, 31, 32, 64, 127, 128, 4096, 1 << 20, 1 << 31, 1 << 40, 1 << 62}
)

// A pattern has the same few bytes everywhere, and as many as are asked for.
type pattern []byte

func (p pattern) ReadAt(b []byte, off int64) (int, error) {
	for i := range b {
		b[i] = p[(off+int64(i))%int64(len(p))]
	}
	return len(b), nil
}

// FuzzUnpack makes modules of parts with any dtypes and shapes, and reads a little of the values at both ends.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte{0, 0, 9, 2, 5, 5, 1, 3, 2, 1, 1}, []byte{64})
	f.Fuzz(fuzzOne)
}

// fuzzOne is one run of the target.
func fuzzOne(t *testing.T, b, data []byte) {
	dtypes := slices.Collect(safetensors.Dtypes())
	if len(b) == 0 {
		return
	}
	if len(data) == 0 {
		data = []byte{0}
	}
	config := hostileConfigs[int(b[0])%len(hostileConfigs)]
	var tensors []*safetensors.Tensor
	for b = b[1:]; len(b) >= 3 && len(tensors) < 16; {
		name, dtype, rank := hostileNames[int(b[0])%len(hostileNames)], dtypes[int(b[1])%len(dtypes)], int(b[2])%5
		b = b[3:]
		shape := []int64{}
		for ; rank > 0 && len(b) > 0; rank, b = rank-1, b[1:] {
			shape = append(shape, hostileDims[int(b[0])%len(hostileDims)])
		}
		if x, err := safetensors.TensorAt(fmt.Sprintf("m.%s", name), dtype, shape, pattern(data)); err == nil {
			tensors = append(tensors, x)
		}
	}
	ws := unpack.Of(&unpack.Source{Files: []unpack.File{{Tensors: tensors}}, Beside: func(string) ([]byte, error) {
		if config == "" {
			return nil, fs.ErrNotExist
		}
		return []byte(config), nil
	}})
	for _, w := range ws.All {
		x, err := w.Tensor()
		if err != nil {
			continue
		}
		x.ReadAt(make([]byte, 67), 0)
		x.ReadAt(make([]byte, 67), max(0, x.Size()-67))
	}
}
