// What a count costs.

package model_test

import (
	"fmt"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// manyExperts is a model of half a million tensors: 61 layers of 384 experts, each of
// three matrices.
func manyExperts(matrix func(d *Draft, name string)) *Fixture {
	d := new(Draft)
	for layer := range 61 {
		for expert := range 384 {
			for _, m := range []string{"gate_proj", "up_proj", "down_proj"} {
				matrix(d, fmt.Sprintf("model.layers.%d.mlp.experts.%d.%s", layer, expert, m))
			}
		}
	}
	return &Fixture{Shards: []*Draft{d}, Config: `{"num_experts":384,"num_experts_per_tok":8}`}
}

func BenchmarkCount(b *testing.B) {
	for _, bb := range []struct {
		name   string
		matrix func(d *Draft, name string)
	}{
		{"plain", func(d *Draft, name string) {
			for _, part := range []string{"weight", "bias", "a", "b", "c", "d", "e"} {
				d.Add(name+"."+part, safetensors.BF16, 2048, 7168)
			}
		}},
		{"packed", func(d *Draft, name string) {
			d.Add(name+".qweight", safetensors.I32, 896, 2048)
			d.Add(name+".qzeros", safetensors.I32, 56, 256)
			d.Add(name+".scales", safetensors.F16, 56, 2048)
			d.Add(name+".g_idx", safetensors.I32, 7168)
			d.Add(name+".weight_scale", safetensors.F32)
			d.Add(name+".input_scale", safetensors.F32)
			d.Add(name+".bias", safetensors.F16, 2048)
		}},
	} {
		m := manyExperts(bb.matrix).Model()
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				model.Count(m)
			}
			b.ReportMetric(float64(len(m.Files[0].Header.Tensors)), "tensors")
		})
	}
}
