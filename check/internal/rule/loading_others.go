// The rules about llama.cpp, mlx-lm, ollama, diffusers and ComfyUI.

package rule

import "github.com/weightools/safetensors"

// The rules that are judged only for loaders that make their own reading of a repository.
const (
	ModelUnknown      safetensors.Rule = "model-unknown"
	ConfigField       safetensors.Rule = "config-field"
	RopeNested        safetensors.Rule = "rope-nested"
	HeadDropped       safetensors.Rule = "head-dropped"
	QuantUnsupported  safetensors.Rule = "quant-unsupported"
	QuantMode         safetensors.Rule = "quant-mode"
	DtypeUnsupported  safetensors.Rule = "dtype-unsupported"
	TokenizerMissing  safetensors.Rule = "tokenizer-missing"
	TokenizerAbsent   safetensors.Rule = "tokenizer-absent"
	TokenGap          safetensors.Rule = "token-gap"
	SpecialTokens     safetensors.Rule = "special-tokens"
	PreTokenizer      safetensors.Rule = "pre-tokenizer"
	AdapterTensor     safetensors.Rule = "adapter-tensor"
	PipelineComponent safetensors.Rule = "pipeline-component"
	VariantOnly       safetensors.Rule = "variant-only"
	NamesOriginal     safetensors.Rule = "names-original"
	JSONText          safetensors.Rule = "json-text"
	OneFile           safetensors.Rule = "one-file"
	ModelPlace        safetensors.Rule = "model-place"
	ModelFolder       safetensors.Rule = "model-folder"
	CustomNode        safetensors.Rule = "custom-node"
	AdapterUnread     safetensors.Rule = "adapter-unread"
)

var loadingOthers = []safetensors.RuleInfo{
	{Rule: ModelUnknown, Severity: safetensors.Error,
		Summary: "The loader knows the class and the type of the model.",
		Source:  loaders,
		Fix:     "Use a version of the loader that knows it, or another loader."},
	{Rule: ConfigField, Severity: safetensors.Error,
		Summary: "config.json has each member that the loader requires.",
		Source:  loaders,
		Fix:     "Add the members to config.json, with the values of the original model."},
	{Rule: RopeNested, Severity: safetensors.Error,
		Summary: "The loader looks for rope_theta where config.json has it.",
		Source:  loaders,
		Fix: "Copy rope_theta to the top of config.json. If rope_parameters has a rope_type other than default, copy " +
			"rope_parameters to rope_scaling, too."},
	{Rule: HeadDropped, Severity: safetensors.Error,
		Summary: "The loader uses the output layer that the weights have.",
		Source:  loaders,
		Fix:     "Add \"tie_word_embeddings\": false to config.json."},
	{Rule: QuantUnsupported, Severity: safetensors.Error,
		Summary: "The loader can unpack the weights.",
		Source:  loaders,
		Fix:     "Use the weights from before the quantization, or a loader that reads it."},
	{Rule: QuantMode, Severity: safetensors.Error,
		Summary: "Each module is packed in the mode that the configuration gives it.",
		Source:  loaders,
		Fix:     "Correct the member of the module in \"quantization\" of config.json, or quantize the model again."},
	{Rule: DtypeUnsupported, Severity: safetensors.Error,
		Summary: "The loader knows the dtypes of all tensors.",
		Source:  loaders,
		Fix:     "Use the weights in another dtype, or a loader that reads this one."},
	{Rule: TokenizerMissing, Severity: safetensors.Error,
		Summary: "A folder with files about a tokenizer has its tokens in a form that the loader reads.",
		Source:  loaders,
		Fix:     "Download tokenizer.json or tokenizer.model of the same revision."},
	{Rule: TokenizerAbsent, Severity: safetensors.Note,
		Summary: "The folder of a model has a tokenizer if the loader needs one.",
		Source:  loaders,
		Fix:     "Download tokenizer.json or tokenizer.model of the same revision."},
	{Rule: TokenGap, Severity: safetensors.Error,
		Summary: "The ids of tokens have no gaps if the loader numbers them itself.",
		Source:  loaders,
		Fix:     "Add tokens for the missing ids to added_tokens in tokenizer.json, or use llama.cpp's convert_hf_to_gguf.py."},
	{Rule: SpecialTokens, Severity: safetensors.Error,
		Summary: "Special tokens have the form that the loader expects.",
		Source:  loaders,
		Fix: "Write each as an object, such as {\"content\": \"<token>\"}, or move tokenizer.model out of the folder if " +
			"there is a tokenizer.json."},
	{Rule: PreTokenizer, Severity: safetensors.Note,
		Summary: "The loader knows the pre-tokenizer.",
		Source:  loaders,
		Fix:     "Convert the model with llama.cpp's convert_hf_to_gguf.py if its texts are tokenized differently."},
	{Rule: AdapterTensor, Severity: safetensors.Error,
		Summary: "An adapter has only tensors that the loader can apply.",
		Source:  loaders,
		Fix:     "Merge the adapter into its base model with PEFT, and convert the result."},
	{Rule: PipelineComponent, Severity: safetensors.Error,
		Summary: "A pipeline has all components that it needs, and each has its files.",
		Source:  loaders,
		Fix:     "Download the missing files of the same revision, or pass the component to from_pretrained."},
	{Rule: VariantOnly, Severity: safetensors.Warning,
		Summary: "A folder has weights without a variant in their names, such as fp16.",
		Source:  loaders,
		Fix:     "Pass the variant to from_pretrained, such as variant=\"fp16\"."},
	{Rule: NamesOriginal, Severity: safetensors.Error,
		Summary: "The tensors of a component have the names that its class expects.",
		Source:  loaders,
		Fix:     "Load the file with from_single_file, and save the result."},
	{Rule: JSONText, Severity: safetensors.Error,
		Summary: "Files that the loader takes for configurations by their names are text.",
		Source:  loaders,
		Fix:     "Remove them: `find FOLDER -name '._*' -type f -delete`, or dot_clean -m on macOS."},
	{Rule: OneFile, Severity: safetensors.Error,
		Summary: "A model is one file if the loader reads one.",
		Source:  loaders,
		Fix:     "Merge the shards: `weigh merge FILE -o NEW.safetensors`."},
	{Rule: ModelPlace, Severity: safetensors.Note,
		Summary: "A model is in the folder in which the loader looks for its kind.",
		Source:  loaders,
		Fix:     "Put it in the folder of its kind."},
	{Rule: ModelFolder, Severity: safetensors.Warning,
		Summary: "A model is not in the folder in which the loader looks for another kind.",
		Source:  loaders,
		Fix:     "Put it in the folder of its kind."},
	{Rule: CustomNode, Severity: safetensors.Warning,
		Summary: "The loader reads the file without an extension.",
		Source:  loaders,
		Fix:     "Install the extension."},
	{Rule: AdapterUnread, Severity: safetensors.Warning,
		Summary: "The loader finds the modules of an adapter by its names.",
		Source:  loaders,
		Fix:     "Rename the tensors: `weigh edit --in-place --rename '^base_model\\.model\\.=>diffusion_model.' FILE`."},
}
