// What the index of a packed set may declare.

package check_test

import (
	"fmt"
	"testing"

	"github.com/weightools/safetensors/check"
)

// TestPackedParameters declares numbers of a model whose layers are packed. In each of
// its 8 layers there are 4096 + 2048 + 2048 + 4096 + 3 × 10,240 = 43,008 values, and
// beside these two matrices of 256 × 64 and 17 norms of 64: 33,856.
func TestPackedParameters(t *testing.T) {
	const values, plain = 8 * 43_008, 2*256*64 + 17*64
	for _, tt := range []struct {
		name   string
		of     linear
		config string
		right  []int64
		says   string // of a wrong number
	}{
		// Eight values to a word, of the weights and of the zero points; a group for
		// each 32 inputs, and an index for each.
		{"GPTQ", gptq, `{"quant_method": "gptq", "bits": 4, "group_size": 32}`, []int64{
			values + plain, values/8 + plain, plain, // the values, their words, and neither
			values/8 + plain + values/32 + values/32/8 + 8*(6*64+160),
		}, "stand for 377,920 parameters, packed in"},
		{"AWQ", awq, `{"quant_method": "awq", "bits": 4, "group_size": 32}`, []int64{
			values + plain, values/8 + plain, plain, values/8 + plain + values/32 + values/32/8,
		}, "stand for 377,920 parameters, packed in"},
		// The header does not say how full the last word of a row is: of the 7 matrices
		// of a layer there are 64+32+32+64+160+160+64 = 576 rows, with 1 to 8 values each.
		{"compressed-tensors", compressed, `{"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}}}}`, []int64{
			values + plain, values + plain - 7*8*576, values/8 + plain, values/8 + plain + values/32 + 2*7*8,
		}, "stand for 345,664 to 377,920 parameters, packed in"},
	} {
		judged := func(told int64) []located {
			f := make(folder)
			f.sharded(t, 2, 1, headed(tt.of)...)
			f.text("config.json", quantised(tt.config))
			const index = "model.safetensors.index.json"
			f[index] = []byte(changed(string(f[index]), `"metadata": {`, fmt.Sprintf(`"metadata": {"total_parameters": %d, `, told)))
			return judge(t, f.store(), "", nil)
		}
		for _, told := range tt.right {
			if found := judged(told); len(found) > 0 {
				t.Errorf("%s, %d: found %v", tt.name, told, found)
			}
		}
		for _, told := range []int64{1, 494_032, 1 << 62} {
			find(t, judged(told), want{check.RuleTotalParameters, "model.safetensors.index.json", "", tt.says})
		}
	}
}
