// Buffers: stored tensors that are not trained.

package model

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// countUnknown counts integers that are packed in an unknown way: at most one parameter for each bit, and
// at least one for each element of a tensor that is called a weight.
func (e *entry) countUnknown() {
	e.Rule, e.Why = RuleUnknown, "the integers are packed in an unknown way"
	if isWeight(e.Info.Name) {
		e.Params.Low = e.NumElems()
	}
	e.Params.High = clamp.Mul(e.NumElems(), int64(e.Info.Dtype.Bits()))
}

// isWeight reports whether a tensor is called a weight.
func isWeight(name string) bool { return strings.HasSuffix(name, "weight") }

// buffers are the names of buffers, after the last dot.
var buffers = map[string]bool{
	"position_ids": true, "token_type_ids": true, "num_batches_tracked": true, "running_mean": true, "running_var": true,
	"inv_freq": true, "original_inv_freq": true, "masked_bias": true, "relative_position_index": true,
	"relative_coords_table": true, "attn_mask": true, "causal_mask": true, "freqs_cis": true,
	"cos_cached": true, "sin_cached": true, "tid2eid": true,
	// Latent diffusion stores its noise schedule.
	"betas": true, "alphas_cumprod": true, "alphas_cumprod_prev": true, "sqrt_alphas_cumprod": true,
	"sqrt_one_minus_alphas_cumprod": true, "log_one_minus_alphas_cumprod": true, "sqrt_recip_alphas_cumprod": true,
	"sqrt_recipm1_alphas_cumprod": true, "posterior_variance": true, "posterior_log_variance_clipped": true,
	"posterior_mean_coef1": true, "posterior_mean_coef2": true,
	"spiece_model": true, "tekken_model": true, "scaled_fp8": true,
	"forward_hadamard_matrix": true, "backward_hadamard_matrix": true, // FP-Quant
}

// IsBuffer reports whether a tensor is a buffer by its name: stored, but not trained.
func IsBuffer(name string) bool { return buffers[parts.Last(name)] }

// isMask reports whether a tensor is a causal mask as stored by GPT-2 and similar models.
func isMask(ti *safetensors.TensorInfo) bool {
	s := ti.Shape
	return len(s) == 4 && s[0] == 1 && s[1] == 1 && s[2] == s[3] && s[2] > 1 && strings.HasSuffix(ti.Name, ".bias")
}
