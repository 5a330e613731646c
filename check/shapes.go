// Shapes of projections, for the architectures whose configurations fix them.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// usual are the architectures, by model_type, whose attention has one projection
// each for queries, keys and values, of num_attention_heads and num_key_value_heads
// times head_dim rows. Others fuse them, gate them, compress them, or have another
// size in some layers, and are not judged.
var usual = []string{
	"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text",
	"granite", "olmo", "olmo2", "starcoder2", "cohere", "smollm3",
}

// dense are those of which each layer has one feed-forward part, of
// intermediate_size.
var dense = []string{"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "granite", "olmo", "olmo2", "smollm3"}

// shapes compares the projections of all layers with the configuration.
type shapes struct {
	ready bool
	want  map[string]expected // by what follows a layer's number
	wrong map[string]*tally
}

// expected is the shape that a projection has by the configuration; 0 is any number.
type expected struct {
	rows, columns int64
	by            string // what in the configuration says so
}

// prepare finds out what is expected. It is nothing if anything is not told.
func (s *shapes) prepare(m *weights) {
	s.ready = true
	if !m.described || !slices.Contains(usual, m.config.text.first("model_type").string()) {
		return
	}
	hidden, _, ok := m.config.int("hidden_size")
	heads, _, told := m.config.int("num_attention_heads")
	if !ok || !told || hidden == 0 || heads == 0 || hidden >= maxDimension || heads >= maxDimension {
		return
	}
	groups, _, told := m.config.int("num_key_value_heads")
	if !told {
		groups = heads
	}
	size, _, told := m.config.int("head_dim")
	if !told {
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
	if wide, _, ok := m.config.int("intermediate_size"); ok && slices.Contains(dense, m.config.text.first("model_type").string()) {
		const mlp = "hidden_size and intermediate_size"
		s.want["mlp.gate_proj.weight"] = expected{wide, hidden, mlp}
		s.want["mlp.up_proj.weight"] = expected{wide, hidden, mlp}
		s.want["mlp.down_proj.weight"] = expected{hidden, wide, mlp}
	}
	s.wrong = make(map[string]*tally)
}

// maxDimension bounds the numbers of a configuration that are multiplied.
const maxDimension = 1 << 31

// look looks at a tensor of a layer. A dtype that packs elements makes other shapes.
func (s *shapes) look(m *weights, ti *safetensors.TensorInfo, shard int, n name) {
	if !s.ready {
		s.prepare(m)
	}
	if s.want == nil || n.leaf != "weight" || len(ti.Shape) != 2 || !isFloat(ti.Dtype) && !isFloat8(ti.Dtype) || !slices.Contains(decoders, n.stack) {
		return
	}
	want, ok := s.want[n.rest]
	if !ok || ti.Shape[0] == want.rows && ti.Shape[1] == want.columns {
		return
	}
	if s.wrong[n.rest] == nil {
		s.wrong[n.rest] = new(tally)
	}
	s.wrong[n.rest].add(ti, shard)
}

func (s *shapes) judge(m *weights) {
	for rest, t := range s.wrong {
		want := s.want[rest]
		m.report(RuleConfigShape, t, "is", "are", "of shape %s, and by %s of %s [%v, %v] is due",
			t.first.ShapeString(), want.by, quote(m.config.path), wording.Grouped(want.rows), wording.Grouped(want.columns))
	}
}
