// What SGLang needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var sglangNeeds = []Need{
	{Rule: rule.WeightsNotFound, Loader: SGLang, Severity: safetensors.Error,
		Does:   "stops with RuntimeError: Cannot find any model weights",
		Source: "srt/model_loader/loader.py, _prepare_weights"},
	{Rule: checkpoint.RuleFileMode, Loader: SGLang, Severity: safetensors.Warning,
		Does:   "stops with PermissionError if another user runs it",
		Source: "srt/model_loader/weight_utils.py, safetensors_weights_iterator"},
}
