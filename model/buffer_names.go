// Buffers by their names: stored tensors that are not parameters.

package model

import (
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// A bufferName is the end of the names of buffers, in words between dots. If the same name is a parameter elsewhere, in
// are the only models with the buffer, or except are the models with the parameter, by model_type or _class_name.
type bufferName struct {
	end        string
	in, except []string
}

// bufferNames lists the buffers that register_buffer, or torch.nn.Buffer, saves. Sources: all models of transformers
// 4.57.6 and 5.24.0, diffusers 0.42.1, timm 1.0.31 and sentence-transformers 6.2.0, and where a line says it.
var bufferNames = []bufferName{
	// Positions and rotary embeddings.
	{end: "position_ids"}, {end: "token_type_ids"}, {end: "inv_freq"}, {end: "original_inv_freq"}, {end: "inv_timescales"},
	{end: "freqs"}, {end: "freqs_cis"}, {end: "freqs_cos"}, {end: "freqs_sin"}, {end: "cos_cached"}, {end: "sin_cached"},
	{end: "rope_embed.periods"}, {end: "pos_encoder.pe"}, {end: "pos_idx_to_embed"}, {end: "_float_tensor"},
	{end: "relative_position_index"}, {end: "relative_coords_table"}, {end: "attention_bias_idxs"},
	{end: "pos_embed.pos_embed", in: []string{"SD3Transformer2DModel", "SD3ControlNetModel"}},
	{end: "patch_embed.pos_embedding", in: []string{"CogVideoXTransformer3DModel", "ConsisIDTransformer3DModel"}},
	{end: "position_embedding", in: []string{"videoprism", "videoprism_vision_model", "videoprism_text_model"}},
	// Random projections of coordinates in SAM. transformers 5 has a parameter instead in sam and sam_hq.
	{end: "shared_image_embedding.positional_embedding"}, {end: "shared_embedding.positional_embedding"},
	{end: "positional_encoding_gaussian_matrix"}, // SAM's own repository

	// Masks, and the decays of linear attention and retention (MiniMax; torchscale: RetNetRelPos).
	{end: "masked_bias"}, {end: "attn_mask"}, {end: "causal_mask"}, {end: "attn_mask_probs"},
	{end: "slope_rate"}, {end: "query_decay"}, {end: "key_decay"}, {end: "diagonal_decay"},
	{end: "retnet_rel_pos.decay"}, {end: "retnet_rel_pos.angle"},

	// Routers of experts: biases and tables that are not trained by gradient.
	{end: "e_score_correction_bias", except: []string{"ernie4_5_moe", "ernie4_5_vl_moe", "laguna"}},
	{end: "expert_bias", except: []string{"afmoe"}},
	{end: "gate.bias", in: []string{
		"deepseek_v4", "inkling_mm_model", "inkling_text", "inkling2_text", "inkling2_loop_text",
	}},
	{end: "moe.router_bias"}, {end: "mlp.router_bias"}, {end: "balancing_biases"}, {end: "tid2eid"},

	// Statistics of data and batches, and scales that are set once.
	{end: "num_batches_tracked"}, {end: "running_mean"}, {end: "running_var"}, {end: "running_std"},
	{end: "global_mean"}, {end: "global_invstd"}, {end: "norm_mean"}, {end: "norm_std"},
	{end: "data_mean"}, {end: "data_std"},
	{end: "latent_mean"}, {end: "latent_std"}, {end: "latents_mean"}, {end: "latents_std"}, {end: "_latents_mean"},
	{end: "_latents_std"}, {end: "emb_mean"}, {end: "emb_std"}, {end: "latent_stats_num_updates"},
	{end: "std_bias"}, {end: "std_scale"},
	{end: "input_min"}, {end: "input_max"}, {end: "output_min"}, {end: "output_max"}, {end: "layer_scalar"},
	{end: "num_points_scale"}, {end: "n_points_scale"}, {end: "act_fn.beta"}, {end: "act_fn.eps"},
	{end: "final_logits_bias"}, {end: "empty_weight"}, {end: "stats_last_nonzero"},

	// Codebooks that are moving averages. Their values are found by these.
	{end: "embed_avg"}, {end: "embed_sum"}, {end: "cluster_size"}, {end: "cluster_usage"}, {end: "inited"},
	{end: "codebook.initialized"},

	// Transforms that are computed once.
	{end: "dft_mat_hidden"}, {end: "dft_mat_seq"}, {end: "hann_window"}, {end: "mel_basis"}, {end: "af2_to_esm"},
	{end: "summary_idxs"}, {end: "block_emb"},
	{end: "forward_hadamard_matrix"}, {end: "backward_hadamard_matrix"}, // FP-Quant

	// I-BERT: the integers and scales of the quantized model. The floats beside them are the parameters.
	{end: "weight_integer"}, {end: "bias_integer"}, {end: "weight_scaling_factor"}, {end: "act_scaling_factor"},
	{end: "fc_scaling_factor"}, {end: "x_min"}, {end: "x_max"}, {end: "shift", in: []string{"ibert"}},

	// Latent diffusion stores its noise schedule. (CompVis: ldm/models/diffusion/ddpm.py)
	{end: "betas"}, {end: "alphas_cumprod"}, {end: "alphas_cumprod_prev"}, {end: "sqrt_alphas_cumprod"},
	{end: "sqrt_one_minus_alphas_cumprod"}, {end: "log_one_minus_alphas_cumprod"}, {end: "sqrt_recip_alphas_cumprod"},
	{end: "sqrt_recipm1_alphas_cumprod"}, {end: "posterior_variance"}, {end: "posterior_log_variance_clipped"},
	{end: "posterior_mean_coef1"}, {end: "posterior_mean_coef2"},

	// Files and marks that programs store as tensors.
	{end: "spiece_model"}, {end: "tekken_model"}, {end: "scaled_fp8"},
}

// buffers are the bufferNames by their last words.
var buffers = sync.OnceValue(func() map[string][]*bufferName {
	m := make(map[string][]*bufferName)
	for i := range bufferNames {
		b := &bufferNames[i]
		last := parts.Last(b.end)
		m[last] = append(m[last], b)
	}
	return m
})

// isBuffer reports whether a tensor is a buffer by its name in a model of the given types: stored, but not a parameter.
func isBuffer(name string, types []string) bool {
	for _, b := range buffers()[parts.Last(name)] {
		before, ok := strings.CutSuffix(name, b.end)
		if !ok || before != "" && before[len(before)-1] != '.' {
			continue
		}
		if b.in != nil && !shares(b.in, types) || shares(b.except, types) {
			continue
		}
		return true
	}
	return false
}

// shares reports whether two lists have a word in common.
func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(word string) bool { return slices.Contains(b, word) })
}

// modelTypes returns the types of a model and of its language model, and its class.
func modelTypes(c *config.Config) (types []string) {
	class, kind := c.Architecture()
	for _, word := range []string{class, kind, c.Text.Text("model_type")} {
		if word != "" {
			types = append(types, word)
		}
	}
	return types
}
