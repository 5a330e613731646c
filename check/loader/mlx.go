// What mlx-lm needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var mlxNeeds = []Need{
	{Rule: rule.ModelUnknown, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Model type not supported",
		Source: "mlx_lm/utils.py, _get_classes"},
	{Rule: rule.WeightsNotFound, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with FileNotFoundError: No safetensors found",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.WeightsMixed, Loader: MLX, Severity: safetensors.Warning,
		Does:   "reads both in no certain order, and takes the tensors of the last",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.ConfigField, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with TypeError",
		Source: "mlx_lm/models/base.py, BaseModelArgs.from_dict"},
	{Rule: rule.RopeNested, Loader: MLX, Severity: safetensors.Error,
		Does:   "takes its own default for it, and computes wrong positions",
		Source: "mlx_lm/models/base.py, BaseModelArgs.from_dict"},
	{Rule: rule.HeadDropped, Loader: MLX, Severity: safetensors.Error,
		Does:   "takes it for tied to the embedding by default, and drops the output layer",
		Source: "mlx_lm/models/llama.py, sanitize"},
	{Rule: rule.QuantUnsupported, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.DtypeUnsupported, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with RuntimeError: unsupported dtype",
		Source: "mlx/io/safetensors.cpp, dtype_from_safetensor_str"},
	{Rule: rule.TokenizerMissing, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops when it reads the tokenizer",
		Source: "mlx_lm/tokenizer_utils.py, load"},
	{Rule: rule.TokenizerAbsent, Loader: MLX, Severity: safetensors.Note,
		Does:   "stops when it reads the tokenizer",
		Source: "mlx_lm/tokenizer_utils.py, load"},
	{Rule: rule.LayerMissing, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Missing parameters",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.HeadMissing, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Missing parameters",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.EmbeddingMissing, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Missing parameters",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.ConfigShape, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Expected shape",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: checkpoint.RuleFileMode, Loader: MLX, Severity: safetensors.Warning,
		Does:   "stops with RuntimeError if another user runs it",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.NamesWrapped, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Received parameters not in model",
		Source: "mlx_lm/utils.py, load_model"},
	{Rule: rule.QuantUndeclared, Loader: MLX, Severity: safetensors.Error,
		Does:   "stops with ValueError: Received parameters not in model",
		Source: "mlx_lm/utils.py, load_model"},
}
