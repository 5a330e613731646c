// Facts about attention: heads, context and windows.

package model

import (
	"slices"

	"github.com/weightools/safetensors/internal/config"
)

// attention reads what the configuration says about attention.
func (f *Facts) attention(c *config.Config) {
	f.Heads = f.number(c, "heads", config.Heads)
	f.KVHeads = f.keyValueHeads(c)
	f.HeadSize = f.headSize(c)
	f.Context = f.number(c, "context length", config.Context)
	f.RopeFactor = ropeFactor(c.Described, f.Context.Value)
	if used, ok := c.Described.First("use_sliding_window").Bool(); used || !ok {
		f.Window = f.number(c, "sliding window", config.Window)
	}
}

// keyValueHeads returns the number of heads for keys and values. Falcon and GPT-BigCode have a flag for a
// single one, which counts unless new_decoder_architecture is set.
func (f *Facts) keyValueHeads(c *config.Config) Number {
	o := c.Described
	if grouped, _ := o.First("new_decoder_architecture").Bool(); !grouped {
		if one, ok := o.First("multi_query").Bool(); ok && one {
			return Number{1, FromConfig}
		} else if ok {
			return f.Heads
		}
	}
	return f.number(c, "key-value heads", config.KVHeads)
}

// headSize returns the channels of a head for queries and keys. Without a setting, heads divide the hidden size.
// Multi-head latent attention has channels with and without rotary embeddings.
func (f *Facts) headSize(c *config.Config) Number {
	rotary, _ := c.Described.First("qk_rope_head_dim").Int()
	plain, _ := c.Described.First("qk_nope_head_dim").Int()
	const limit = 1 << 31
	if 0 < rotary && rotary < limit && 0 < plain && plain < limit {
		return Number{rotary + plain, FromConfig}
	}
	said := c.Described.Find(config.HeadDim...)
	if said.Kind() == 0 && f.Heads.Value > 0 && f.Hidden.From == FromConfig && f.Hidden.Value%f.Heads.Value == 0 {
		return Number{f.Hidden.Value / f.Heads.Value, FromConfig}
	}
	return f.number(c, "head size", config.HeadDim)
}

// ropeFactor returns the factor of rope_scaling, or of rope_parameters, as it is called since transformers 5. The
// layers of Gemma have different ones; those with full attention matter. Longrope has a factor for each channel
// instead, for a context that is longer than the original one.
func ropeFactor(o config.Object, context int64) Factor {
	rope := o.First("rope_scaling", "rope_parameters").Object()
	if full := rope["full_attention"].Object(); full != nil {
		rope = full
	}
	if factor, ok := rope["factor"].Float(); ok {
		return Factor{factor, FromConfig}
	}
	kind := rope.First("rope_type", "type")
	name, _ := kind.Str()
	original, _ := rope.First("original_max_position_embeddings").Int()
	if original == 0 {
		original, _ = o.First("original_max_position_embeddings").Int()
	}
	if slices.Contains([]string{"longrope", "su", "yarn"}, name) && original > 0 && context > original {
		return Factor{float64(context) / float64(original), FromConfig}
	}
	return Factor{}
}
