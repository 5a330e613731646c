// Package rule has the rules about a repository, and collects violations of them.
package rule

import (
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/parts"
)

// The rules about a repository, in the order in which it is read. Those that need the data come last.
const (
	NotFetched         safetensors.Rule = "not-fetched"
	DownloadUnfinished safetensors.Rule = "download-unfinished"
	ExchangeUnfinished safetensors.Rule = "exchange-unfinished"
	Leftover           safetensors.Rule = "leftover"
	RefMissing         safetensors.Rule = "ref-missing"
	Sidecar            safetensors.Rule = "sidecar"
	OtherFormat        safetensors.Rule = "other-format"
	PathUnsafe         safetensors.Rule = "path-unsafe"
	PathCollision      safetensors.Rule = "path-collision"
	SeveralModels      safetensors.Rule = "several-models"
	ConfigJSON         safetensors.Rule = "config-json"
	ConfigNumber       safetensors.Rule = "config-number"
	ConfigShape        safetensors.Rule = "config-shape"
	ConfigDtype        safetensors.Rule = "config-dtype"
	StateOnly          safetensors.Rule = "state-only"
	NamesWrapped       safetensors.Rule = "names-wrapped"
	NamesPrefix        safetensors.Rule = "names-prefix"
	LayerMissing       safetensors.Rule = "layer-missing"
	TensorEmpty        safetensors.Rule = "tensor-empty"
	HeadMissing        safetensors.Rule = "head-missing"
	EmbeddingMissing   safetensors.Rule = "embedding-missing"
	TokenizerRange     safetensors.Rule = "tokenizer-range"
	TiedTwice          safetensors.Rule = "tied-twice"
	QuantCompanion     safetensors.Rule = "quant-companion"
	QuantShape         safetensors.Rule = "quant-shape"
	QuantConfig        safetensors.Rule = "quant-config"
	QuantUndeclared    safetensors.Rule = "quant-undeclared"
	QuantUnused        safetensors.Rule = "quant-unused"
	AdapterEmpty       safetensors.Rule = "adapter-empty"
	AdapterPair        safetensors.Rule = "adapter-pair"
	AdapterRank        safetensors.Rule = "adapter-rank"
	AdapterAlpha       safetensors.Rule = "adapter-alpha"
	AdapterTarget      safetensors.Rule = "adapter-target"
	AdapterLabel       safetensors.Rule = "adapter-label"
	AdapterPrefix      safetensors.Rule = "adapter-prefix"
	AdapterBase        safetensors.Rule = "adapter-base"
	AdapterModule      safetensors.Rule = "adapter-module"
	AdapterShape       safetensors.Rule = "adapter-shape"
	TotalParameters    safetensors.Rule = "total-parameters"
	AlignmentCost      safetensors.Rule = "alignment-cost"
	BlobDigest         safetensors.Rule = "blob-digest"
	DownloadDigest     safetensors.Rule = "download-digest"
	CopiesDiffer       safetensors.Rule = "copies-differ"
	TiedDiffers        safetensors.Rule = "tied-differs"
	NotFinite          safetensors.Rule = "not-finite"
	ScaleValue         safetensors.Rule = "scale-value"
	ZeroRun            safetensors.Rule = "zero-run"
	ConstantWeight     safetensors.Rule = "constant-weight"
)

// Values of Source.
const (
	hubCache     = "none: the layout of the Hugging Face Hub's local cache"
	transformers = "none: the convention of the library transformers"
	peft         = "none: the convention of the library PEFT"
	schemes      = "none: the packing programs that [counting.md](counting.md) lists"
)

var rules = [...]safetensors.RuleInfo{
	{Rule: NotFetched, Severity: safetensors.Warning,
		Summary: "Files of configurations and tokenizers are not Git LFS pointers, error pages or empty files.",
		Source:  "none: loaders read these files",
		Fix:     "Run `git lfs pull` in the file's repository, or check the URL and your login, and download the file again."},
	{Rule: DownloadUnfinished, Severity: safetensors.Note,
		Summary: "The folder has no unfinished downloads.",
		Source:  "none: the names that download programs give to incomplete files",
		Fix:     "Download the file again, or remove the unfinished one if the complete file exists."},
	{Rule: ExchangeUnfinished, Severity: safetensors.Invalid,
		Summary: "No program was interrupted while it replaced files of the folder.",
		Source:  "none: the folder has a journal of weigh, " + atomicfile.JournalName,
		Fix:     "Run `weigh edit --recover FILE`, which finishes the interrupted run or rolls it back."},
	{Rule: Leftover, Severity: safetensors.Note,
		Summary: "The folder has no temporary files of interrupted runs.",
		Source:  "none: the names that weigh gives to files until they are complete",
		Fix:     "Run `weigh edit --recover FILE`, which removes them."},
	{Rule: RefMissing, Severity: safetensors.Warning,
		Summary: "Each reference in the Hub's cache names an existing snapshot.",
		Source:  hubCache,
		Fix:     "Download the revision again, or remove the reference: offline loaders that use it find nothing."},
	{Rule: Sidecar, Severity: safetensors.Warning,
		Summary: "A folder has no AppleDouble files from macOS with names of weights, such as ._model.safetensors.",
		Source:  "none: loaders that read every *.safetensors file of a folder fail",
		Fix:     "Remove them: `find FOLDER -name '._*' -type f -delete`, or dot_clean -m on macOS."},
	{Rule: OtherFormat, Severity: safetensors.Note,
		Summary: "A folder has weights in only one format.",
		Source:  "none: loaders differ in which format they choose",
		Fix:     "Keep only the format that your loader reads."},
	{Rule: PathUnsafe, Severity: safetensors.Warning,
		Summary: "File names have no control characters and none that change the direction of text. " +
			"Names of weights have no backslashes or colons.",
		Source: "none: names are printed on terminals, and systems interpret these characters differently",
		Fix:    "Rename the file, or do not trust its source."},
	{Rule: PathCollision, Severity: safetensors.Note,
		Summary: "No two paths differ only in case.",
		Source:  "none: by default, Windows and macOS treat them as one file",
		Fix:     "Rename one of the two files."},
	{Rule: SeveralModels, Severity: safetensors.Note,
		Summary: "A folder with a configuration has one model.",
		Source:  "none: vLLM and SGLang read every *.safetensors file of a folder without an index",
		Fix:     "Move one of the models to a folder of its own."},
	{Rule: ConfigJSON, Severity: safetensors.Error,
		Summary: "Each configuration file is a JSON object.",
		Source:  transformers,
		Fix:     "Download or write the file again."},
	{Rule: ConfigNumber, Severity: safetensors.Note,
		Summary: "Configurations that weigh reads, such as config.json, do not contain NaN or Infinity, " +
			"which are not valid JSON.",
		Source: "none: Python writes and reads them, and other readers refuse the file",
		Fix: "Write a number, null, or {\"__float__\": \"Infinity\"} as transformers 5 does, or leave the setting out if that " +
			"is its default."},
	{Rule: ConfigShape, Severity: safetensors.Warning,
		Summary: "The sizes in the configuration match the shapes of the tensors.",
		Source:  transformers,
		Fix:     "Download the configuration and the weights from the same revision."},
	{Rule: ConfigDtype, Severity: safetensors.Note,
		Summary: "Some weights have the dtype that the configuration names.",
		Source:  transformers,
		Fix:     "Write the dtype of the weights into the configuration, or cast the weights with weigh edit --cast."},
	{Rule: StateOnly, Severity: safetensors.Warning,
		Summary: "A model has weights, and not only the state of an optimizer.",
		Source:  "none: the names that PyTorch's optimizers use",
		Fix:     "Download or save the weights: this file can only resume a training run."},
	{Rule: NamesWrapped, Severity: safetensors.Warning,
		Summary: "Names of tensors have no parts that torch.compile, DistributedDataParallel, FSDP or other wrappers add.",
		Source:  "none: the attributes of the wrappers in PyTorch and Lightning",
		Fix:     "Rename the tensors: `weigh edit --in-place --rename '^_orig_mod\\.=>' FILE`."},
	{Rule: NamesPrefix, Severity: safetensors.Warning,
		Summary: "Names have the prefix that the class in the configuration has before its body, and no other.",
		Source:  transformers,
		Fix:     "Rename the tensors: `weigh edit --in-place --rename '^=>model.' FILE`."},
	{Rule: LayerMissing, Severity: safetensors.Error,
		Summary: "Every layer is present, and no layer lacks a tensor that all others have.",
		Source:  transformers,
		Fix:     "Download or write the weights again: a loader may leave missing weights uninitialized."},
	{Rule: TensorEmpty, Severity: safetensors.Error,
		Summary: "No weight has the shape [0].",
		Source:  "none: DeepSpeed ZeRO-3 saves such weights if they are not gathered first",
		Fix:     parts.UngatheredFix},
	{Rule: HeadMissing, Severity: safetensors.Warning,
		Summary: "A model has an output layer unless it is tied to the embedding.",
		Source:  transformers,
		Fix:     "Set tie_word_embeddings to true if they are tied; otherwise download or write the weights again."},
	{Rule: EmbeddingMissing, Severity: safetensors.Warning,
		Summary: "A model whose output layer is tied to the embedding stores the embedding.",
		Source:  transformers,
		Fix:     "Write the embedding again: `weigh edit --in-place --copy lm_head.weight=model.embed_tokens.weight FILE`."},
	{Rule: TokenizerRange, Severity: safetensors.Warning,
		Summary: "The embedding has a row for each token of the tokenizer.",
		Source:  transformers,
		Fix:     "Use the tokenizer of the same revision, or resize the embedding to it."},
	{Rule: TiedTwice, Severity: safetensors.Note,
		Summary: "Tied weights are stored once.",
		Source:  transformers,
		Fix:     "No action is needed. To save space, drop the duplicate: `weigh edit --in-place --tie FILE`."},
	{Rule: QuantCompanion, Severity: safetensors.Invalid,
		Summary: "A packed weight has all tensors that are needed to unpack it: scales, zero points, group indices, shape or " +
			"state.",
		Source: schemes,
		Fix:    "Download or quantize the weights again: a loader may unpack them with uninitialized memory."},
	{Rule: QuantShape, Severity: safetensors.Invalid,
		Summary: "The shapes of a packed weight and of its scales, zero points and indices match.",
		Source:  schemes,
		Fix:     "Download or quantize the weights again: the tensors come from different versions."},
	{Rule: QuantConfig, Severity: safetensors.Warning,
		Summary: "The bits, group size and block size in the quantization's configuration match the shapes.",
		Source:  schemes,
		Fix:     "Correct the configuration, or download it and the weights from the same revision."},
	{Rule: QuantUndeclared, Severity: safetensors.Warning,
		Summary: "The configuration of packed weights has a quantization_config, or a file of its own for it.",
		Source:  schemes,
		Fix: "Download config.json again from the revision of the weights, or write quantization_config as the program that " +
			"packed them does."},
	{Rule: QuantUnused, Severity: safetensors.Warning,
		Summary: "A model has packed weights if its configuration declares them.",
		Source:  schemes,
		Fix:     "Remove quantization_config from config.json if the weights were unpacked; otherwise download them again."},
	{Rule: AdapterEmpty, Severity: safetensors.Error,
		Summary: "An adapter has tensors and changes the model.",
		Source:  peft,
		Fix:     "Save the adapter again: some loaders fail with this one, and others serve the model without it."},
	{Rule: AdapterPair, Severity: safetensors.Warning,
		Summary: "An adapter has both matrices of each module, with the same rank.",
		Source:  peft,
		Fix:     "Save the adapter again."},
	{Rule: AdapterRank, Severity: safetensors.Warning,
		Summary: "The rank in adapter_config.json matches the matrices.",
		Source:  peft,
		Fix:     "Correct r, or set rank_pattern if ranks differ."},
	{Rule: AdapterAlpha, Severity: safetensors.Warning,
		Summary: "An adapter is not scaled by 0.",
		Source:  peft,
		Fix:     "Set lora_alpha, or the alpha tensors, to the value that was used in training."},
	{Rule: AdapterTarget, Severity: safetensors.Warning,
		Summary: "target_modules in adapter_config.json names the modules of the adapter's matrices.",
		Source:  peft,
		Fix:     "Add the modules to target_modules: PEFT drops matrices of others without an error."},
	{Rule: AdapterLabel, Severity: safetensors.Warning,
		Summary: "Names of tensors do not contain the name of the adapter, such as \".default\".",
		Source:  peft,
		Fix:     "Remove it: `weigh edit --in-place --rename '\\.default(\\.|$)=>$1' FILE`."},
	{Rule: AdapterPrefix, Severity: safetensors.Note,
		Summary: "Names in an adapter for a diffusion model begin with the component that they modify.",
		Source:  "none: the conventions of diffusers and ComfyUI",
		Fix:     "Add the prefix: `weigh edit --in-place --rename '^=>diffusion_model.' FILE`, or \"transformer.\" for diffusers."},
	{Rule: AdapterBase, Severity: safetensors.Error,
		Summary: "An adapter modifies modules of its base.",
		Source:  peft,
		Fix:     "Use the adapter with the model that it was trained on."},
	{Rule: AdapterModule, Severity: safetensors.Warning,
		Summary: "The base has all modules of numbered layers that the adapter modifies.",
		Source:  peft,
		Fix:     "Use the adapter with the model that it was trained on: loaders drop the matrices of other modules, or fail."},
	{Rule: AdapterShape, Severity: safetensors.Error,
		Summary: "The matrices of an adapter fit the weights of its base.",
		Source:  peft,
		Fix:     "Use the adapter with the model that it was trained on."},
	{Rule: TotalParameters, Severity: safetensors.Note,
		Summary: "total_parameters in the index is the number of stored elements or, for packed weights, of parameters.",
		Source:  "none: the library transformers writes it into the index",
		Fix:     "No action is needed: `weigh info FILE` shows the correct number."},
	{Rule: AlignmentCost, Severity: safetensors.Note,
		Summary: "Tensors are aligned to the size of their elements. Loaders can then use a mapped file in place.",
		Source:  "none: misaligned tensors must be copied",
		Fix:     "Write the files again with aligned tensors: `weigh edit --in-place --fix FILE`."},
	{Rule: BlobDigest, Severity: safetensors.Invalid,
		Summary: "The digest of a blob in the Hub's cache matches its name.",
		Source:  hubCache,
		Fix:     "Remove the blob and download it again."},
	{Rule: DownloadDigest, Severity: safetensors.Error,
		Summary: "The digest of a file matches the one recorded when it was downloaded from the Hub.",
		Source:  "none: .cache/huggingface/download, where huggingface_hub records downloads",
		Fix:     "Download the file again, unless it was changed on purpose."},
	{Rule: CopiesDiffer, Severity: safetensors.Warning,
		Summary: "Two copies of a model in one folder have the same values in all tensors of the same dtype.",
		Source:  "none: some loaders read one copy, and others read the other",
		Fix:     "Find out which of the two is correct, and remove the other."},
	{Rule: TiedDiffers, Severity: safetensors.Warning,
		Summary: "Tied weights that are stored twice have the same bytes.",
		Source:  transformers,
		Fix:     "Find out which of the two is correct: a loader that ties them uses one and drops the other."},
	{Rule: NotFinite, Severity: safetensors.Error,
		Summary: "Weights are finite numbers.",
		Source:  "none: a NaN spreads to everything computed from it",
		Fix:     "Download the file again. If its digest is right, the training or conversion failed."},
	{Rule: ScaleValue, Severity: safetensors.Error,
		Summary: "Scales are finite and not all zero.",
		Source:  schemes,
		Fix:     "Download or quantize the weights again."},
	{Rule: ZeroRun, Severity: safetensors.Error,
		Summary: "No long run of weights is all zeros.",
		Source:  "none: incomplete downloads and reads past the end of a file leave zeros",
		Fix:     "Download the file again."},
	{Rule: ConstantWeight, Severity: safetensors.Note,
		Summary: "The elements of a weight matrix are not all equal.",
		Source:  "none: such a matrix was not trained",
		Fix:     "Find out whether the layer was trained: some layers are initialized with zeros."},
}

// NeedsData reports whether only the data of tensors and files can break the rule.
func NeedsData(rule safetensors.Rule) bool {
	first := slices.IndexFunc(rules[:], func(info safetensors.RuleInfo) bool { return info.Rule == BlobDigest })
	return slices.ContainsFunc(rules[first:], func(info safetensors.RuleInfo) bool { return info.Rule == rule })
}

// Findings returns an empty list of violations.
func Findings() *checkpoint.Findings { return &checkpoint.Findings{Rules: all()} }

// all are the rules, those that exist only for loaders last.
var all = sync.OnceValue(func() []safetensors.RuleInfo { return slices.Concat(rules[:], loading) })

// Rules returns the rules about a repository, in the order in which it is read, and then those that exist only for
// loaders.
func Rules() []safetensors.RuleInfo {
	list := slices.Clone(all())
	for i := range list {
		list[i].Reference = "reads a single file"
	}
	return list
}
