// What llama.cpp needs to convert a model to GGUF.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var llamaCPPNeeds = []Need{
	{Rule: rule.ModelUnknown, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops, because it does not support the model",
		Source: "convert_hf_to_gguf.py, main"},
	{Rule: rule.WeightsNotFound, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "writes a GGUF file without tensors, or stops if it is an adapter",
		Source: "conversion/base.py, index_tensors"},
	{Rule: rule.WeightsTwice, Loader: LlamaCPP, Severity: safetensors.Warning,
		Does:   "takes the tensors of the file whose name comes last",
		Source: "conversion/base.py, index_tensors"},
	{Rule: checkpoint.RuleTensorUnlisted, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with ValueError: Mismatch between weight map and model parts",
		Source: "conversion/base.py, index_tensors"},
	{Rule: rule.QuantUnsupported, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops, because it cannot unpack them",
		Source: "conversion/base.py, dequant_model"},
	{Rule: rule.DtypeUnsupported, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with KeyError",
		Source: "conversion/base.py, LazyTorchTensor"},
	{Rule: rule.AdapterTensor, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with: Unexpected name",
		Source: "convert_lora_to_gguf.py, LoraModel.get_tensors"},
	{Rule: rule.ConfigField, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with KeyError",
		Source: "convert_lora_to_gguf.py, main"},
	{Rule: rule.TokenizerMissing, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops when it writes the vocabulary",
		Source: "conversion/base.py, get_vocab_base"},
	{Rule: rule.TokenizerAbsent, Loader: LlamaCPP, Severity: safetensors.Note,
		Does:   "stops when it writes the vocabulary",
		Source: "conversion/base.py, get_vocab_base"},
	{Rule: rule.TokenizerRange, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with AssertionError",
		Source: "conversion/base.py, get_vocab_base"},
	{Rule: rule.EmbeddingMissing, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "converts the model, and does not load the result: missing tensor token_embd.weight",
		Source: "src/llama-model-loader.cpp, check_tensor_dims"},
	{Rule: rule.LayerMissing, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "converts the model, and does not load the result: missing tensor",
		Source: "src/llama-model-loader.cpp, check_tensor_dims"},
	{Rule: rule.HeadMissing, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "uses the embedding as the output layer",
		Source: "src/llama-model.cpp, load_tensors"},
	{Rule: rule.NotFetched, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops when it reads the file",
		Source: "conversion/base.py, load_hparams"},
	{Rule: rule.NamesWrapped, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with ValueError: Can not map tensor",
		Source: "conversion/base.py, map_tensor_name"},
	{Rule: rule.QuantUndeclared, Loader: LlamaCPP, Severity: safetensors.Error,
		Does:   "stops with ValueError: Can not map tensor",
		Source: "conversion/base.py, map_tensor_name"},
}
