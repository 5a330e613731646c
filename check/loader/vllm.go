// What vLLM needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var vllmNeeds = []Need{
	{Rule: rule.WeightsNotFound, Loader: VLLM, Severity: safetensors.Error,
		Does:   "stops with RuntimeError: Cannot find any model weights",
		Source: "model_executor/model_loader/default_loader.py, _prepare_weights"},
	{Rule: checkpoint.RuleFileMode, Loader: VLLM, Severity: safetensors.Warning,
		Does:   "stops with PermissionError if another user runs it",
		Source: "model_executor/model_loader/weight_utils.py, safetensors_weights_iterator"},
}
