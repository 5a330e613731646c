// What transformers needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var transformersNeeds = []Need{
	{Rule: rule.WeightsNotFound, Loader: Transformers, Severity: safetensors.Error,
		Does:   "stops with OSError",
		Source: "modeling_utils.py, _get_resolved_checkpoint_files"},
	{Rule: checkpoint.RuleIndexMissing, Loader: Transformers, Severity: safetensors.Error,
		Does:   "finds no weights, and stops with OSError",
		Source: "modeling_utils.py, _get_resolved_checkpoint_files"},
	{Rule: rule.LayerMissing, Loader: Transformers, Severity: safetensors.Error,
		Does:   "initializes the missing weights at random, and only warns",
		Source: "modeling_utils.py, _load_pretrained_model"},
	{Rule: rule.HeadMissing, Loader: Transformers, Severity: safetensors.Error,
		Does:   "initializes the output layer at random, and only warns",
		Source: "modeling_utils.py, _load_pretrained_model"},
	{Rule: rule.EmbeddingMissing, Loader: Transformers, Severity: safetensors.Error,
		Does:   "initializes the embedding at random, and only warns",
		Source: "modeling_utils.py, tie_weights"},
	{Rule: checkpoint.RuleFileMode, Loader: Transformers, Severity: safetensors.Warning,
		Does:   "stops with PermissionError if another user runs it",
		Source: "modeling_utils.py, load_state_dict"},
}
