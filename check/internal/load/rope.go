// Rotary position embeddings: the types that programs know, and the fields that each needs.

package load

import (
	"context"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// ropes are the types, each with the fields that it needs. original_max_position_embeddings is not among them, because
// max_position_embeddings takes its place. (transformers 5.24.0: modeling_rope_utils.py,
// RotaryEmbeddingConfigMixin.)
var ropes = map[string][]string{
	"default": nil, "linear": {"factor"}, "dynamic": {"factor"}, "yarn": {"factor"},
	"longrope": {"short_factor", "long_factor"}, "llama3": {"factor", "low_freq_factor", "high_freq_factor"},
}

// others are types that only some architectures know.
var others = map[string]bool{"proportional": true, "axial": true, "mrope": true, "su": true, "deepseek_yarn": true,
	"yarn_scaled": true, "deepseek_llama_scaling": true, "original": true, "none": true, "xdrope": true}

// plainRope are the architectures, by model_type, that scale with the functions of modeling_rope_utils.py alone.
var plainRope = []string{
	"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "granite", "olmo",
	"olmo2", "cohere", "smollm3", "phi", "starcoder2", "stablelm",
}

// judgeRope reports unknown types of scaling, and missing fields.
func judgeRope(_ context.Context, m *Model) {
	if m.Adapter || !m.Described || m.remote() != "" || m.Main.Root.Text("model_type") == "" {
		return
	}
	v := m.Text.First("rope_scaling", "rope_parameters")
	o := v.Object()
	kind := v
	for _, name := range []string{"rope_type", "type"} {
		if one := o[name]; one.Kind() == jsonscan.String {
			kind = one
			break
		}
	}
	word, ok := kind.Str()
	if !ok || word == "" {
		return // there is none, or each type of layer has its own
	}
	fields, is := ropes[word]
	at := Fault{Rule: rule.ConfigRope, File: m.ConfigPath, Span: rule.SpanOf(v)}
	if !is {
		if !others[word] && isOf(plainRope, m.Text) {
			m.Add(at, m.For(python...), "%s in %s has the type %s, which is unknown", v.Name, m.quoted(), wording.Quote(word))
		}
		return
	}
	var missing []string
	for _, field := range fields {
		if o.First(field).Kind() == 0 {
			missing = append(missing, field)
		}
	}
	if missing != nil {
		m.Add(at, m.For(python...), "%s in %s has the type %s, and lacks %s", v.Name, m.quoted(), wording.Quote(word),
			strings.Join(missing, " and "))
	}
}

// isOf reports whether the part of a configuration is of one of the given architectures.
func isOf(kinds []string, part config.Object) bool {
	kind := part.Text("model_type")
	for _, one := range kinds {
		if one == kind {
			return true
		}
	}
	return false
}
