// Shapes of projections, for architectures whose configurations determine them.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// usual are the architectures, by model_type, whose attention has one projection each for queries, keys and
// values, of num_attention_heads and num_key_value_heads times head_dim rows. Others fuse them, gate them,
// compress them, or have other sizes in some layers, and are not judged.
var usual = []string{
	"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text",
	"granite", "olmo", "olmo2", "starcoder2", "cohere", "smollm3",
}

// dense are the architectures with one feed-forward part in each layer, of intermediate_size.
var dense = []string{"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "granite", "olmo",
	"olmo2", "smollm3"}

// shapes compares the projections of all layers with the configuration.
type shapes struct {
	ready bool
	want  map[string]expected // by what follows a layer's number
	wrong map[string]*tally
}

// expected is the shape that a projection should have.
type expected struct {
	rows, columns int64
	by            string // the settings that determine it
}

// prepare finds out what is expected: nothing, if a setting is missing.
func (s *shapes) prepare(m *subject) {
	s.ready = true
	kind := m.Text.Text("model_type")
	if !m.described || !slices.Contains(usual, kind) {
		return
	}
	hidden, heads := m.Size(config.Hidden), m.Size(config.Heads)
	if hidden == 0 || heads == 0 || hidden >= maxDimension || heads >= maxDimension {
		return
	}
	groups, _, ok := m.Int(config.KVHeads)
	if !ok {
		groups = heads
	}
	size, _, ok := m.Int(config.HeadDim)
	if !ok {
		size = hidden / heads
	}
	if groups >= maxDimension || size >= maxDimension {
		return
	}
	const attention = "hidden_size, num_attention_heads, num_key_value_heads and head_dim"
	s.want = map[string]expected{
		"self_attn.q_proj.weight": {heads * size, hidden, attention},
		"self_attn.k_proj.weight": {groups * size, hidden, attention},
		"self_attn.v_proj.weight": {groups * size, hidden, attention},
		"self_attn.o_proj.weight": {hidden, heads * size, attention},
	}
	if wide, _, ok := m.Int(config.Intermediate); ok && slices.Contains(dense, kind) {
		const mlp = "hidden_size and intermediate_size"
		s.want["mlp.gate_proj.weight"] = expected{wide, hidden, mlp}
		s.want["mlp.up_proj.weight"] = expected{wide, hidden, mlp}
		s.want["mlp.down_proj.weight"] = expected{hidden, wide, mlp}
	}
	s.wrong = make(map[string]*tally)
}

// maxDimension bounds the numbers of a configuration that are multiplied.
const maxDimension = 1 << 31

// look looks at a tensor of a layer. Packed weights have other shapes.
func (s *shapes) look(m *subject, ti *safetensors.TensorInfo, shard int, n name) {
	if !s.ready {
		s.prepare(m)
	}
	if s.want == nil || n.leaf != "weight" || len(ti.Shape) != 2 || !slices.Contains(decoders, n.stack) ||
		parts.KindOf(ti.Dtype)&(parts.Float|parts.Float8) == 0 {
		return
	}
	want, ok := s.want[n.rest]
	if !ok || ti.Shape[0] == want.rows && ti.Shape[1] == want.columns {
		return
	}
	if ti.Shape[1] == 1 {
		return // 4 bits of bitsandbytes in one column, which quant_storage may call floats
	}
	if s.wrong[n.rest] == nil {
		s.wrong[n.rest] = new(tally)
	}
	s.wrong[n.rest].Add(ti, shard)
}

func (s *shapes) judge(m *subject) {
	for rest, t := range s.wrong {
		want := s.want[rest]
		m.Report(RuleConfigShape, t, "has", "have", "the shape %s; expected [%v, %v] by %s in %s",
			t.First.ShapeString(), wording.Grouped(want.rows), wording.Grouped(want.columns), want.by, quote(m.main.Path))
	}
}
