// Buffers: what is stored and is no parameter, and what only looks like it.

package model

import (
	"testing"
)

// Names as transformers saves them, and what its named_parameters says.
func TestBuffers(t *testing.T) {
	square, vector := []int64{4, 4}, []int64{4}
	for _, tt := range []struct {
		name, config string
		tensors      []any
		want         int64 // parameters
	}{
		{"a codebook of averages", `{"model_type":"encodec"}`, []any{
			"q.0.codebook.embed", square, "q.0.codebook.embed_avg", square, "q.0.codebook.cluster_size", vector,
			"q.0.codebook.inited", []int64{1}, "q.0.conv.weight_v", square}, 16},
		{"Mimi", "", []any{"q.codebook.embed_sum", square, "q.codebook.cluster_usage", vector,
			"q.codebook.initialized", []int64{1}, "q.input_proj.weight", square}, 16},
		{"a codebook that is trained", "", []any{"quantizer.codebook.embed", square, "vq.embed.weight", square}, 32},
		{"a frozen batch norm", "", []any{"bn.weight", vector, "bn.bias", vector, "bn.running_mean", vector,
			"bn.running_var", vector, "conv.weight", square, "conv.bias", vector}, 20},
		{"a batch norm", "", []any{"bn.weight", vector, "bn.bias", vector, "bn.running_mean", vector,
			"bn.running_var", vector, "bn.num_batches_tracked", []int64{}}, 8},
		{"DeepSeek's router", `{"model_type":"deepseek_v3"}`, []any{"mlp.gate.e_score_correction_bias", vector,
			"mlp.gate.weight", square}, 16},
		{"Ernie's router", `{"model_type":"ernie4_5_moe"}`, []any{
			"mlp.moe_statics.e_score_correction_bias", vector, "mlp.gate.weight", square}, 20},
		{"a language model in another", `{"model_type":"x","text_config":{"model_type":"afmoe"}}`, []any{
			"mlp.expert_bias", vector}, 4},
		{"LFM2's router", `{"model_type":"lfm2_moe"}`, []any{"feed_forward.expert_bias", vector, "w", square}, 16},
		{"a bias of a gate", `{"model_type":"llama"}`, []any{"mlp.gate.bias", vector}, 4},
		{"a bias of DeepSeek V4's gate", `{"model_type":"deepseek_v4"}`, []any{"ffn.gate.bias", vector, "w", square}, 16},
		{"I-BERT", `{"model_type":"ibert"}`, []any{"q.weight", square, "q.weight_integer", square, "q.bias_integer", vector,
			"q.fc_scaling_factor", vector, "n.shift", []int64{1}, "a.x_min", []int64{1}}, 16},
		{"a shift that is trained", "", []any{"n.shift", []int64{1}}, 1},
		{"MiniMax' decays", "", []any{"a.slope_rate", []int64{4, 1, 1}, "a.query_decay", square, "a.key_decay", square,
			"a.diagonal_decay", square, "a.out_proj.weight", square}, 16},
		{"Mamba's decays, which are trained", "", []any{"mixer.A_log", square, "mixer.D", vector, "mixer.dt_bias", vector}, 24},
		{"RWKV's decays, which are trained", "", []any{"attention.time_decay", vector, "attention.decay", vector}, 8},
		{"RetNet's decay", "", []any{"decoder.retnet_rel_pos.decay", vector, "w", square}, 16},
		{"xIELU", "", []any{"mlp.act_fn.alpha_p", []int64{1}, "mlp.act_fn.beta", []int64{}, "mlp.act_fn.eps", []int64{}}, 1},
		{"another beta", "", []any{"snake.beta", vector}, 4},
		{"a vocoder's mean and scale", "", []any{"vocoder.mean", vector, "vocoder.scale", vector, "layer.0.scale", vector}, 4},
		{"SD 3's positions", `{"_class_name":"SD3Transformer2DModel"}`, []any{"pos_embed.pos_embed", square, "w", square}, 16},
		{"AuraFlow's positions", `{"_class_name":"AuraFlowTransformer2DModel"}`, []any{"pos_embed.pos_embed", square}, 16},
		{"SAM", "", []any{"shared_image_embedding.positional_embedding", []int64{2, 4}, "positional_embedding", square}, 16},
		{"BART's bias", "", []any{"final_logits_bias", []int64{1, 4}, "model.shared.weight", square}, 16},
		{"ends of words", "", []any{"a.my_inited", vector, "act_fn_beta", vector, "xcodebook.initialized", vector}, 12},
	} {
		if n := Count(headers(tt.config, tt.tensors...)); n.Params != exactly(tt.want) {
			t.Errorf("%s: %+v parameters, want %d; %+v", tt.name, n.Params, tt.want, n.Groups)
		}
	}
}

// MLX counts no batches, and trains its batch norms.
func TestBatchNormOfMLX(t *testing.T) {
	m := headers("", "bn.weight", []int64{4}, "bn.bias", []int64{4}, "bn.running_mean", []int64{4}, "bn.running_var", []int64{4})
	m.Files[0].Header.Metadata = map[string]string{"format": "mlx"}
	if n := Count(m); n.Params != exactly(8) {
		t.Errorf("%+v parameters, want 8", n.Params)
	}
}

// Each name ends in a word that is no other name's whole end, so that no row is dead.
func TestBufferNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for _, b := range bufferNames {
		if seen[b.end] {
			t.Errorf("%s is listed twice", b.end)
		}
		seen[b.end] = true
		types := b.in
		if !isBuffer(b.end, types) || !isBuffer("model."+b.end, types) || isBuffer("x"+b.end, types) {
			t.Errorf("%s: not found, or found as part of a word", b.end)
		}
		if len(b.in) > 0 && isBuffer(b.end, nil) || len(b.except) > 0 && isBuffer(b.end, b.except[:1]) {
			t.Errorf("%s: found in all models", b.end)
		}
	}
}

// The outer flag counts, and the inner one if there is no other.
func TestTieFlags(t *testing.T) {
	for config, want := range map[string]struct {
		unique int64
		notes  int
	}{
		`{"tie_word_embeddings":true}`:                                                         {16, 0},
		`{"text_config":{"tie_word_embeddings":true}}`:                                         {16, 0},
		`{"tie_word_embeddings":false,"text_config":{"tie_word_embeddings":true}}`:             {32, 1},
		`{"tie_word_embeddings":true,"text_config":{"tie_word_embeddings":false}}`:             {16, 1},
		`{"tie_word_embeddings":true,"text_config":{"tie_word_embeddings":true}}`:              {16, 0},
		`{"thinker_config":{"tie_word_embeddings":true,"text_config":{}}}`:                     {16, 0},
		`{"tie_word_embeddings":null,"text_config":{"tie_word_embeddings":true}}`:              {16, 0},
		`{"vision_config":{"tie_word_embeddings":true},"hidden_size":4,"num_hidden_layers":1}`: {32, 0},
		`{}`: {32, 0},
	} {
		n := Count(headers(config, "model.embed_tokens.weight", []int64{4, 4}, "lm_head.weight", []int64{4, 4}))
		if n.Unique != exactly(want.unique) || len(n.Notes) != want.notes {
			t.Errorf("%s: %+v unique, notes %q", config, n.Unique, n.Notes)
		}
	}
}
