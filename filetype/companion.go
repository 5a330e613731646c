// Names of the files that belong to weights.

package filetype

import (
	"path"
	"slices"
	"strings"
)

// companions are the names of files that loaders read in addition to the weights, in lower case. Names that vary are in
// [companionPatterns].
var companions = []string{
	// Configurations: of the model, of its parts, of adapters, and of quantization.
	"config.json", "generation_config.json", "model_index.json", "modules.json", "adapter_config.json",
	"scheduler_config.json", "sentence_bert_config.json", "config_sentence_transformers.json", "params.json",
	"configuration.json", "quantize_config.json", "quant_config.json", "hf_quant_config.json",
	"quant_model_description.json", "recipe.yaml",
	// Tokenizers.
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "tekken.json",
	"vocab.json", "vocab.txt", "merges.txt", "bpe.codes", "dict.txt", "normalizer.json", "spiece.model",
	"sentencepiece.bpe.model", "sentencepiece.model", "source.spm", "target.spm", "spm.model",
	// Processors of images, sound and video.
	"processor_config.json", "preprocessor_config.json", "image_processor_config.json",
	"video_preprocessor_config.json", "feature_extractor_config.json", "audio_processor_config.json",
	// Chat templates.
	"chat_template.json", "chat_template.jinja",
}

// companionPatterns match the lower case names of further companions, as [path.Match] does: tokenizers with a number or
// a language, descriptions of a quantization, the Python code that a configuration names, licenses, and model cards.
var companionPatterns = []string{
	"tokenizer*.model", "tokenizer.model.v*", "*.tiktoken", "vocab-*.json", "merges-*.txt", "*.jinja",
	"quant_model_description_*.json",
	"configuration_*.py", "modeling_*.py", "tokenization_*.py", "processing_*.py", "image_processing_*.py",
	"feature_extraction_*.py", "video_processing_*.py",
	"license", "license.*", "license-*", "license_*", "licence", "licence.*", "licence-*", "licence_*",
	"notice", "notice.*", "copying", "copying.*", "use_policy*", "readme", "readme.*",
}

// neverCompanions are the ends of names that are never companions: keys, archives, and files that editors and downloads
// leave.
var neverCompanions = []string{
	".key", ".pem", ".p12", ".pfx", ".crt", ".env", ".zip", ".gz", ".tar", ".lock", ".part", ".incomplete", ".tmp",
	".bak", ".swp", ".orig", "~", ".pyc", ".so", ".exe", ".sh",
}

// IsCompanion reports whether a file belongs to weights by its name or path, because loaders or people need it with
// them: a configuration, a part of a tokenizer, a processor, a chat template, a license or a model card. Weights,
// indexes, optimizer states, caches and credentials are not companions.
func IsCompanion(name string) bool {
	base := strings.ToLower(path.Base(name))
	if WeightsFormat(base) != "" || slices.ContainsFunc(neverCompanions, func(end string) bool {
		return strings.HasSuffix(base, end)
	}) {
		return false
	}
	return slices.Contains(companions, base) || slices.ContainsFunc(companionPatterns, func(p string) bool {
		ok, _ := path.Match(p, base)
		return ok
	})
}
