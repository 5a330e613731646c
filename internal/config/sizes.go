// Sizes: the spellings of the numbers that describe an architecture.

package config

import (
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// The names of sizes. Libraries differ; the first name that a file has counts. A dot leads into an object.
//
// Sources: attribute_map and members of all configuration_*.py of transformers 4.57.6 and 5.24.0; MPT, DBRX, Falcon,
// ChatGLM, OpenELM and Step3 on the Hub.
var (
	Layers = []string{
		"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "depth", "layers",
		"num_encoder_layers", "encoder_num_hidden_layers", "num_encoder_blocks", "attention_layers",
	}
	MTPLayers = []string{"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers"}
	Hidden    = []string{
		"hidden_size", "n_embd", "d_model", "n_embed", "dim", "emb_dim", "embed_dim", "model_dim", "encoder_hidden_size",
		"hidden_dim", "text_hidden_size", "mask_feature_size",
	}
	Vocab = []string{"vocab_size", "n_words", "n_token", "padded_vocab_size", "tgt_vocab_size", "decoder_vocab_size"}

	Heads = []string{
		"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
		"attention_heads", "encoder_num_attention_heads", "decoder_num_attention_heads", "num_encoder_attention_heads",
		"num_query_heads", "num_self_attention_heads", "self_attn_heads",
	}
	KVHeads = []string{
		"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads", "attn_config.kv_n_heads",
		"multi_query_group_num", "num_attention_groups", "num_query_groups", "encoder_num_key_value_heads",
		"decoder_num_key_value_heads",
	}
	HeadDim = []string{
		"head_dim", "d_kv", "kv_channels", "attention_head_dim", "dim_head", "d_head", "attention_head_size",
	}

	Intermediate = []string{
		"intermediate_size", "d_ff", "n_inner", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_dim", "ffn_hidden_size",
		"ffn_config.ffn_hidden_size", "mlp_dim", "mlp_hidden_size", "dense_intermediate_size", "dim_feedforward", "dim_ff",
	}
	ExpertIntermediate = []string{"moe_intermediate_size", "expert_ffn_hidden_size"}
	SharedIntermediate = []string{"shared_expert_intermediate_size"}

	Context = []string{
		"max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx",
		"max_seq_length", "context_length", "model_max_length", "max_target_positions", "max_source_positions",
	}
	Window = []string{"sliding_window", "sliding_window_size", "attention_window_size", "attention_window"}

	Experts = []string{
		"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts", "n_experts",
		"num_moe_experts", "ffn_config.moe_num_experts",
	}
	ActiveExperts = []string{
		"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k", "moe_k",
		"top_k_experts", "num_selected_experts", "n_activated_experts", "num_activated_experts", "moe_router_topk",
		"router_top_k", "ffn_config.moe_top_k",
	}
)

// LayerLists are members with an element for each layer.
var LayerLists = []string{"layers_block_type", "layer_types"}

// Find is like First, with dots in names that lead into objects.
func (o Object) Find(names ...string) Value {
	for _, name := range names {
		v := o[name]
		if outer, inner, ok := strings.Cut(name, "."); ok {
			v = Value{name, o[outer].Get(inner)}
		}
		if k := v.Kind(); k != 0 && k != jsonscan.Null {
			return v
		}
	}
	return Value{}
}

// Int returns the first of the named members of Text that is present, and whether it is a whole number of at
// least 0, or a list of such numbers, one for each layer, that are equal.
func (c *Config) Int(names []string) (n int64, v Value, ok bool) {
	v = c.Text.Find(names...)
	low, high, ok := v.Spread()
	if k := v.Kind(); k != jsonscan.Array && k != jsonscan.Object { // these have numbers for layers or parts
		c.expect(ok, v, "a number")
	}
	if low != high {
		return 0, v, false
	}
	return low, v, ok
}

// Size returns the number that Int returns, or 0 if there is none.
func (c *Config) Size(names []string) int64 {
	n, _, _ := c.Int(names)
	return n
}

// maxList bounds the lists of numbers: models have some hundred layers.
const maxList = 1 << 12

// Spread returns the least and the largest number of a list, or one number twice.
func (v Value) Spread() (low, high int64, ok bool) {
	if v.Kind() != jsonscan.Array {
		n, ok := v.Int()
		return n, n, ok
	}
	seen := 0
	for e := range v.Elements() {
		n, ok := e.Int()
		if seen++; !ok || seen > maxList {
			return 0, 0, false
		}
		if seen == 1 {
			low, high = n, n
		}
		low, high = min(low, n), max(high, n)
	}
	return low, high, seen > 0
}

// Float returns a number that is positive and finite.
func (v Value) Float() (float64, bool) {
	if v.Kind() != jsonscan.Number || len(v.Text()) > 64 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v.Text()), 64)
	return n, err == nil && n > 0
}
