// The rules that exist only for loaders.

package rule

import (
	"slices"

	"github.com/weightools/safetensors"
)

// The rules that are judged only for loaders. Their severities are those of package loader; here is the highest.
const (
	WeightsNotFound    safetensors.Rule = "weights-not-found"
	WeightsExtra       safetensors.Rule = "weights-extra"
	WeightsTwice       safetensors.Rule = "weights-twice"
	IndexMetadata      safetensors.Rule = "index-metadata"
	ConfigMissing      safetensors.Rule = "config-missing"
	ConfigRope         safetensors.Rule = "config-rope"
	RemoteCode         safetensors.Rule = "remote-code"
	QuantMethod        safetensors.Rule = "quant-method"
	QuantPlace         safetensors.Rule = "quant-place"
	QuantSetting       safetensors.Rule = "quant-setting"
	QuantModules       safetensors.Rule = "quant-modules"
	VocabularyRows     safetensors.Rule = "vocabulary-rows"
	TensorRequired     safetensors.Rule = "tensor-required"
	PadToken           safetensors.Rule = "pad-token"
	EndToken           safetensors.Rule = "end-token"
	TensorParallel     safetensors.Rule = "tensor-parallel"
	AdapterConfig      safetensors.Rule = "adapter-config"
	AdapterUnsupported safetensors.Rule = "adapter-unsupported"
	ChatTemplate       safetensors.Rule = "chat-template"
)

// loaders is a value of Source.
const loaders = "none: the programs that [loaders.md](loaders.md) lists"

var loading = slices.Concat([]safetensors.RuleInfo{
	{Rule: WeightsNotFound, Severity: safetensors.Error,
		Summary: "The folder has weights under a name that the loader looks for.",
		Source:  loaders,
		Fix:     "Rename the file to model.safetensors."},
	{Rule: WeightsExtra, Severity: safetensors.Error,
		Summary: "If the loader reads every file, all weights in the folder belong to the model.",
		Source:  loaders,
		Fix:     "Move the file to another folder."},
	{Rule: WeightsTwice, Severity: safetensors.Error,
		Summary: "If the loader reads every file, no tensor of the model is in more than one file.",
		Source:  loaders,
		Fix:     "Move the copy to another folder, or remove it."},
	{Rule: IndexMetadata, Severity: safetensors.Error,
		Summary: "An index has the member \"metadata\".",
		Source:  loaders,
		Fix:     "Add \"metadata\": {} to the index, before weight_map."},
	{Rule: ConfigMissing, Severity: safetensors.Error,
		Summary: "The folder of a model has a config.json.",
		Source:  loaders,
		Fix:     "Download config.json from the repository of the weights, or write it."},
	{Rule: ConfigRope, Severity: safetensors.Error,
		Summary: "The scaling of rotary position embeddings has a known type, and the fields that the type needs.",
		Source:  loaders,
		Fix:     "Correct rope_scaling or rope_parameters in config.json."},
	{Rule: RemoteCode, Severity: safetensors.Note,
		Summary: "The loader needs no code of the repository.",
		Source:  loaders,
		Fix:     "Read the code, and scan the folder with weigh scan. Then pass trust_remote_code to the loader."},
	{Rule: QuantMethod, Severity: safetensors.Error,
		Summary: "quantization_config has a quant_method that the loader supports.",
		Source:  loaders,
		Fix:     "Use a loader that supports the method, or download the weights in another one."},
	{Rule: QuantPlace, Severity: safetensors.Error,
		Summary: "The quantization is described where the loader reads it.",
		Source:  loaders,
		Fix:     "Copy the description into config.json as quantization_config, with its quant_method."},
	{Rule: QuantSetting, Severity: safetensors.Error,
		Summary: "quantization_config has the settings that the loader needs, with values that it supports.",
		Source:  loaders,
		Fix:     "Correct quantization_config if it is wrong; otherwise quantize the weights with other settings."},
	{Rule: QuantModules, Severity: safetensors.Error,
		Summary: "The modules that quantization_config leaves out are plain, and the others are packed.",
		Source:  loaders,
		Fix:     "Correct the list in quantization_config: ignore or modules_to_not_convert."},
	{Rule: VocabularyRows, Severity: safetensors.Error,
		Summary: "The embedding and the output layer have vocab_size rows.",
		Source:  loaders,
		Fix:     "Set vocab_size in config.json to the number of rows, or download both files from one revision."},
	{Rule: TensorRequired, Severity: safetensors.Error,
		Summary: "A model has each tensor that every model of its class has.",
		Source:  loaders,
		Fix:     "Download or save the weights again."},
	{Rule: PadToken, Severity: safetensors.Error,
		Summary: "The vocabulary has the token pad_token_id.",
		Source:  loaders,
		Fix:     "Correct pad_token_id in config.json, or remove it."},
	{Rule: EndToken, Severity: safetensors.Note,
		Summary: "The vocabulary has at least one token of eos_token_id.",
		Source:  loaders,
		Fix:     "Correct eos_token_id: download the file from the revision of the tokenizer."},
	{Rule: TensorParallel, Severity: safetensors.Error,
		Summary: "The number of devices divides the heads, the sizes and the groups of scales that they share.",
		Source:  loaders,
		Fix:     "Use another number of devices."},
	{Rule: AdapterConfig, Severity: safetensors.Error,
		Summary: "A folder with a model has no adapter_config.json unless it also has the adapter.",
		Source:  loaders,
		Fix:     "Remove adapter_config.json, or add the weights of the adapter."},
	{Rule: AdapterUnsupported, Severity: safetensors.Error,
		Summary: "An adapter has no features that the loader refuses.",
		Source:  loaders,
		Fix:     "Merge the adapter into the model with PEFT, or train one without the feature."},
	{Rule: ChatTemplate, Severity: safetensors.Note,
		Summary: "A model whose vocabulary has chat tokens has a chat template.",
		Source:  loaders,
		Fix:     "Add chat_template to tokenizer_config.json, or pass a template to the loader."},
}, loadingOthers)

// NeedsLoader reports whether the rule is judged only for loaders.
func NeedsLoader(rule safetensors.Rule) bool {
	return slices.ContainsFunc(loading, func(info safetensors.RuleInfo) bool { return info.Rule == rule })
}
