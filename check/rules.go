// The rules about a repository.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/parts"
)

// The rules about a repository, in the order in which it is read. Those that need the data come last.
const (
	RuleNotFetched         safetensors.Rule = "not-fetched"
	RuleDownloadUnfinished safetensors.Rule = "download-unfinished"
	RuleExchangeUnfinished safetensors.Rule = "exchange-unfinished"
	RuleLeftover           safetensors.Rule = "leftover"
	RuleRefMissing         safetensors.Rule = "ref-missing"
	RuleOtherFormat        safetensors.Rule = "other-format"
	RulePathUnsafe         safetensors.Rule = "path-unsafe"
	RulePathCollision      safetensors.Rule = "path-collision"
	RuleConfigJSON         safetensors.Rule = "config-json"
	RuleConfigShape        safetensors.Rule = "config-shape"
	RuleLayerMissing       safetensors.Rule = "layer-missing"
	RuleTensorEmpty        safetensors.Rule = "tensor-empty"
	RuleHeadMissing        safetensors.Rule = "head-missing"
	RuleTiedTwice          safetensors.Rule = "tied-twice"
	RuleQuantCompanion     safetensors.Rule = "quant-companion"
	RuleQuantShape         safetensors.Rule = "quant-shape"
	RuleQuantConfig        safetensors.Rule = "quant-config"
	RuleAdapterEmpty       safetensors.Rule = "adapter-empty"
	RuleAdapterPair        safetensors.Rule = "adapter-pair"
	RuleAdapterRank        safetensors.Rule = "adapter-rank"
	RuleTotalParameters    safetensors.Rule = "total-parameters"
	RuleAlignmentCost      safetensors.Rule = "alignment-cost"
	RuleBlobDigest         safetensors.Rule = "blob-digest"
	RuleDownloadDigest     safetensors.Rule = "download-digest"
	RuleCopiesDiffer       safetensors.Rule = "copies-differ"
	RuleTiedDiffers        safetensors.Rule = "tied-differs"
	RuleNotFinite          safetensors.Rule = "not-finite"
	RuleScaleValue         safetensors.Rule = "scale-value"
	RuleZeroRun            safetensors.Rule = "zero-run"
	RuleConstantWeight     safetensors.Rule = "constant-weight"
)

// Values of Source.
const (
	hubCache     = "none: the layout of the Hugging Face Hub's local cache"
	transformers = "none: the convention of the library transformers"
	peft         = "none: the convention of the library PEFT"
	schemes      = "none: the conventions of GPTQ, AWQ, compressed-tensors, ModelOpt, bitsandbytes, MLX and the OCP formats"
)

var rules = [...]safetensors.RuleInfo{
	{Rule: RuleNotFetched, Severity: safetensors.Warning,
		Summary: "The files beside the weights are not Git LFS pointers, error pages or empty files.",
		Source:  "none: loaders read these files",
		Fix:     "Run `git lfs pull` in the file's repository, or check the URL and your login, and download the file again."},
	{Rule: RuleDownloadUnfinished, Severity: safetensors.Note,
		Summary: "The folder has no unfinished downloads.",
		Source:  "none: the names that download programs give to incomplete files",
		Fix:     "Download the file again, or remove the unfinished one if the complete file exists."},
	{Rule: RuleExchangeUnfinished, Severity: safetensors.Invalid,
		Summary: "No program was interrupted while it replaced files of the folder.",
		Source:  "none: the folder has a journal of weigh, " + atomicfile.JournalName,
		Fix:     "Run `weigh edit --recover FILE`, which finishes the interrupted run or takes it back."},
	{Rule: RuleLeftover, Severity: safetensors.Note,
		Summary: "The folder has no temporary files of interrupted runs.",
		Source:  "none: the names that weigh gives to files until they are complete",
		Fix:     "Run `weigh edit --recover FILE`, which removes them."},
	{Rule: RuleRefMissing, Severity: safetensors.Warning,
		Summary: "Each reference in the Hub's cache names an existing snapshot.",
		Source:  hubCache,
		Fix:     "Download the revision again, or remove the reference: offline loaders that use it find nothing."},
	{Rule: RuleOtherFormat, Severity: safetensors.Note,
		Summary: "A folder has weights in only one format.",
		Source:  "none: loaders differ in which format they choose",
		Fix:     "Keep only the format that your loader reads. Pickle formats can run code when they are loaded."},
	{Rule: RulePathUnsafe, Severity: safetensors.Warning,
		Summary: "File names have no control characters and none that change the direction of text. " +
			"Names of weights have no backslashes or colons.",
		Source: "none: names are printed on terminals, and systems interpret these characters differently",
		Fix:    "Rename the file, or do not trust its source."},
	{Rule: RulePathCollision, Severity: safetensors.Note,
		Summary: "No two paths differ only in case.",
		Source:  "none: by default, Windows and macOS treat them as one file",
		Fix:     "Rename one of the two files."},
	{Rule: RuleConfigJSON, Severity: safetensors.Error,
		Summary: "Each configuration file is a JSON object.",
		Source:  transformers,
		Fix:     "Download or write the file again."},
	{Rule: RuleConfigShape, Severity: safetensors.Warning,
		Summary: "The sizes in the configuration match the shapes of the tensors.",
		Source:  transformers,
		Fix:     "Download the configuration and the weights from the same revision."},
	{Rule: RuleLayerMissing, Severity: safetensors.Error,
		Summary: "Every layer is present, and no layer lacks a tensor that all others have.",
		Source:  transformers,
		Fix:     "Download or write the weights again: a loader may leave missing weights uninitialized."},
	{Rule: RuleTensorEmpty, Severity: safetensors.Error,
		Summary: "No weight has the shape [0].",
		Source:  "none: DeepSpeed ZeRO-3 saves such weights if they are not gathered first",
		Fix:     parts.UngatheredFix},
	{Rule: RuleHeadMissing, Severity: safetensors.Warning,
		Summary: "A model has an output layer unless it is tied to the embedding.",
		Source:  transformers,
		Fix:     "Set tie_word_embeddings to true if they are tied; otherwise download or write the weights again."},
	{Rule: RuleTiedTwice, Severity: safetensors.Note,
		Summary: "Tied weights are stored once.",
		Source:  transformers,
		Fix:     "No action is needed. Writing the file without the duplicate saves space."},
	{Rule: RuleQuantCompanion, Severity: safetensors.Invalid,
		Summary: "A packed weight has all tensors that are needed to unpack it: scales, zero points, group indices, shape or state.",
		Source:  schemes,
		Fix:     "Download or quantize the weights again: a loader may unpack them with uninitialized memory."},
	{Rule: RuleQuantShape, Severity: safetensors.Invalid,
		Summary: "The shapes of a packed weight and of its scales, zero points and indices match.",
		Source:  schemes,
		Fix:     "Download or quantize the weights again: the tensors come from different versions."},
	{Rule: RuleQuantConfig, Severity: safetensors.Warning,
		Summary: "The bits, group size and block size in the quantization's configuration match the shapes.",
		Source:  schemes,
		Fix:     "Correct the configuration, or download it and the weights from the same revision."},
	{Rule: RuleAdapterEmpty, Severity: safetensors.Error,
		Summary: "An adapter has tensors and changes the model.",
		Source:  peft,
		Fix:     "Save the adapter again: some loaders fail with this one, and others serve the model without it."},
	{Rule: RuleAdapterPair, Severity: safetensors.Warning,
		Summary: "An adapter has both matrices of each module, with the same rank.",
		Source:  peft,
		Fix:     "Save the adapter again."},
	{Rule: RuleAdapterRank, Severity: safetensors.Warning,
		Summary: "The rank in adapter_config.json matches the matrices.",
		Source:  peft,
		Fix:     "Correct r, or set rank_pattern if ranks differ."},
	{Rule: RuleTotalParameters, Severity: safetensors.Note,
		Summary: "total_parameters in the index is the number of stored elements or, for packed weights, of parameters.",
		Source:  "none: the library transformers writes it into the index",
		Fix:     "No action is needed. `weigh info` shows the correct number."},
	{Rule: RuleAlignmentCost, Severity: safetensors.Note,
		Summary: "Tensors are aligned to the size of their elements, so that loaders can use a mapped file in place.",
		Source:  "none: misaligned tensors must be copied",
		Fix:     "Write the files again with headers padded to a multiple of 8 and wide dtypes first."},
	{Rule: RuleBlobDigest, Severity: safetensors.Invalid,
		Summary: "The digest of a blob in the Hub's cache matches its name.",
		Source:  hubCache,
		Fix:     "Remove the blob and download it again."},
	{Rule: RuleDownloadDigest, Severity: safetensors.Error,
		Summary: "The digest of a file matches the one recorded when it was downloaded from the Hub.",
		Source:  "none: .cache/huggingface/download, where huggingface_hub records downloads",
		Fix:     "Download the file again, unless it was changed on purpose."},
	{Rule: RuleCopiesDiffer, Severity: safetensors.Warning,
		Summary: "Two copies of a model in one folder have the same values.",
		Source:  "none: some loaders read one copy, and others read the other",
		Fix:     "Find out which of the two is correct, and remove the other."},
	{Rule: RuleTiedDiffers, Severity: safetensors.Warning,
		Summary: "Tied weights that are stored twice have the same bytes.",
		Source:  transformers,
		Fix:     "Find out which of the two is correct: a loader that ties them uses one and drops the other."},
	{Rule: RuleNotFinite, Severity: safetensors.Error,
		Summary: "Weights are finite numbers.",
		Source:  "none: a NaN spreads to everything computed from it",
		Fix:     "Download the file again. If its digest is right, the training or conversion failed."},
	{Rule: RuleScaleValue, Severity: safetensors.Error,
		Summary: "Scales are finite and not all zero.",
		Source:  schemes,
		Fix:     "Download or quantize the weights again."},
	{Rule: RuleZeroRun, Severity: safetensors.Error,
		Summary: "No long run of weights is all zeros.",
		Source:  "none: incomplete downloads and reads past the end of a file leave zeros",
		Fix:     "Download the file again."},
	{Rule: RuleConstantWeight, Severity: safetensors.Note,
		Summary: "The elements of a weight matrix are not all equal.",
		Source:  "none: such a matrix was not trained",
		Fix:     "Find out whether the layer was trained: some layers are initialized with zeros."},
}

// Rules returns the rules about a repository, in the order in which it is read.
func Rules() []safetensors.RuleInfo {
	list := slices.Clone(rules[:])
	for i := range list {
		list[i].Reference = "reads a single file"
	}
	return list
}
