// What diffusers needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var diffusersNeeds = []Need{
	{Rule: rule.ModelUnknown, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "stops with ValueError or AttributeError",
		Source: "pipelines/pipeline_loading_utils.py, get_class_obj_and_candidates"},
	{Rule: rule.PipelineComponent, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "stops with OSError or ValueError, or makes an empty tokenizer",
		Source: "pipelines/pipeline_utils.py, from_pretrained"},
	{Rule: rule.VariantOnly, Loader: Diffusers, Severity: safetensors.Warning,
		Does:   "stops with OSError unless the variant is passed",
		Source: "models/modeling_utils.py, from_pretrained"},
	{Rule: rule.WeightsNotFound, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "stops with OSError",
		Source: "models/modeling_utils.py, from_pretrained"},
	{Rule: checkpoint.RuleIndexMissing, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "finds no weights, and stops with OSError",
		Source: "models/model_loading_utils.py, _fetch_index_file"},
	{Rule: rule.LayerMissing, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "initializes the missing weights at random, and only warns",
		Source: "models/modeling_utils.py, _load_pretrained_model"},
	{Rule: rule.NotFetched, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "stops when it reads the file",
		Source: "configuration_utils.py, load_config"},
	{Rule: checkpoint.RuleFileMode, Loader: Diffusers, Severity: safetensors.Warning,
		Does:   "stops with PermissionError if another user runs it",
		Source: "models/model_loading_utils.py, load_state_dict"},
	{Rule: rule.NamesWrapped, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "initializes the weights at random, and only warns",
		Source: "models/modeling_utils.py, _load_pretrained_model"},
	{Rule: rule.AdapterPrefix, Loader: Diffusers, Severity: safetensors.Warning,
		Does:   "finds no modules of the pipeline under such names, and changes nothing",
		Source: "loaders/lora_base.py, _load_lora_into_text_encoder"},
	{Rule: rule.NamesOriginal, Loader: Diffusers, Severity: safetensors.Error,
		Does:   "initializes the weights at random, and only warns",
		Source: "models/modeling_utils.py, _load_pretrained_model"},
}
