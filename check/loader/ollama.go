// What ollama needs to make a model of safetensors files.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
)

var ollamaNeeds = []Need{
	{Rule: rule.ModelUnknown, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: unsupported architecture",
		Source: "convert/convert.go, LoadModelMetadata"},
	{Rule: rule.WeightsNotFound, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: no Modelfile or safetensors files found",
		Source: "parser/parser.go, filesForModel"},
	{Rule: rule.WeightsMixed, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: duplicate tensor name",
		Source: "convert/convert.go, ensureUniqueTensorNames"},
	{Rule: rule.ConfigNumber, Loader: Ollama, Severity: safetensors.Warning,
		Does: "stops in releases before 2026-02-22 with: invalid character 'I' looking for beginning of value; later ones " +
			"read it as 0 in config.json, and stop for other files",
		Source: "convert/json_compat.go, sanitizeNonFiniteJSON"},
	{Rule: rule.RopeNested, Loader: Ollama, Severity: safetensors.Error,
		Does:   "writes none or 0, and computes wrong positions",
		Source: "convert/convert_llama.go, KV"},
	{Rule: rule.QuantUnsupported, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops, or copies the packed bytes as numbers",
		Source: "convert/reader_safetensors.go, WriteTo"},
	{Rule: rule.TokenizerMissing, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: unknown tokenizer format",
		Source: "convert/tokenizer.go, parseVocabulary"},
	{Rule: rule.TokenizerAbsent, Loader: Ollama, Severity: safetensors.Note,
		Does:   "stops with: unknown tokenizer format",
		Source: "convert/tokenizer.go, parseVocabulary"},
	{Rule: rule.TokenGap, Loader: Ollama, Severity: safetensors.Error,
		Does:   "numbers the tokens without the gaps, so that those after the first have wrong ids",
		Source: "convert/tokenizer.go, parseVocabularyFromTokenizer"},
	{Rule: rule.SpecialTokens, Loader: Ollama, Severity: safetensors.Error,
		Does:   "panics: interface conversion",
		Source: "convert/tokenizer_spm.go, parseAdditionalSpecialTokens"},
	{Rule: rule.PreTokenizer, Loader: Ollama, Severity: safetensors.Note,
		Does:   "uses its default instead, with a warning in the log",
		Source: "convert/tokenizer.go, parseTokenizer"},
	{Rule: rule.TokenizerRange, Loader: Ollama, Severity: safetensors.Error,
		Does:   "writes more tokens than the embedding has rows, and does not load the result",
		Source: "convert/convert.go, LoadModelMetadata"},
	{Rule: rule.LayerMissing, Loader: Ollama, Severity: safetensors.Error,
		Does:   "converts the model, and does not load the result",
		Source: "convert/convert.go, ConvertModel"},
	{Rule: rule.EmbeddingMissing, Loader: Ollama, Severity: safetensors.Error,
		Does:   "converts the model, and does not load the result",
		Source: "convert/convert.go, ConvertModel"},
	{Rule: rule.NotFetched, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: invalid content type, or when it parses the file",
		Source: "parser/parser.go, filesForModel"},
	{Rule: checkpoint.RuleFileMode, Loader: Ollama, Severity: safetensors.Warning,
		Does:   "stops with: permission denied if another user runs it",
		Source: "parser/parser.go, filesForModel"},
	{Rule: rule.NamesWrapped, Loader: Ollama, Severity: safetensors.Error,
		Does:   "converts the model with names that it does not load",
		Source: "convert/convert.go, ConvertModel"},
	{Rule: rule.QuantUndeclared, Loader: Ollama, Severity: safetensors.Error,
		Does:   "stops with: unknown data type, or copies the packed bytes as numbers",
		Source: "convert/reader_safetensors.go, WriteTo"},
}
