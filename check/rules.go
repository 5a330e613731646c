// The rules about a repository: weights and the files beside them.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
)

// The rules about a repository, a folder of weights with the files that describe
// them, in the order in which it is read. Those that need the data are last.
const (
	RuleNotFetched         safetensors.Rule = "not-fetched"
	RuleDownloadUnfinished safetensors.Rule = "download-unfinished"
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
	RuleTiedDiffers        safetensors.Rule = "tied-differs"
	RuleNotFinite          safetensors.Rule = "not-finite"
	RuleScaleValue         safetensors.Rule = "scale-value"
	RuleZeroRun            safetensors.Rule = "zero-run"
	RuleConstantWeight     safetensors.Rule = "constant-weight"
)

// Values of Source and Reference.
const (
	hubCache     = "none: the layout of the Hugging Face Hub's local cache"
	transformers = "none: the convention of the library transformers"
	peft         = "none: the convention of the library PEFT"
	schemes      = "none: the conventions of GPTQ, AWQ, compressed-tensors, ModelOpt, bitsandbytes, MLX and the OCP formats"
	readsOneFile = "reads one file, and no other beside it"
)

var rules = [...]safetensors.RuleInfo{
	{
		Rule: RuleNotFetched, Severity: safetensors.Warning,
		Summary: "The files beside the weights are themselves, and not a Git LFS pointer or an error page in their place.",
		Source:  "none: loaders read them", Reference: readsOneFile,
		Fix: "Run `git lfs pull` in the file's repository, or check the URL and your login, and download the file again.",
	},
	{
		Rule: RuleDownloadUnfinished, Severity: safetensors.Note,
		Summary: "No download was left off halfway.",
		Source:  "none: the names that programs give to what they have not fetched to its end", Reference: readsOneFile,
		Fix: "Fetch the file again, or remove what is left of it if the whole one is there.",
	},
	{
		Rule: RuleRefMissing, Severity: safetensors.Warning,
		Summary: "A reference in the Hub's cache names a snapshot that is there.",
		Source:  hubCache, Reference: readsOneFile,
		Fix: "Fetch the revision again, or remove the reference: without a network, loaders that are asked for it find nothing.",
	},
	{
		Rule: RuleOtherFormat, Severity: safetensors.Note,
		Summary: "A folder holds its weights in one format.",
		Source:  "none: loaders choose by formats, and differ in their choice", Reference: readsOneFile,
		Fix: "Fetch the format that your loader reads, and not the others. Formats made of pickles can run code when they are loaded.",
	},
	{
		Rule: RulePathUnsafe, Severity: safetensors.Warning,
		Summary: "The names of files are free of control characters, those that turn the direction of text among them, and of backslashes and colons.",
		Source:  "none: names end up on terminals, and systems differ in what they make of them", Reference: readsOneFile,
		Fix: "Rename the file, or do not trust where it comes from.",
	},
	{
		Rule: RulePathCollision, Severity: safetensors.Note,
		Summary: "No two paths differ in upper and lower case alone.",
		Source:  "none: Windows and macOS as they are set up take two such files for one", Reference: readsOneFile,
		Fix: "Rename one of the two.",
	},
	{
		Rule: RuleConfigJSON, Severity: safetensors.Warning,
		Summary: "A configuration beside the weights is one JSON object.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Fetch the file again, or write it again.",
	},
	{
		Rule: RuleConfigShape, Severity: safetensors.Warning,
		Summary: "The numbers of the configuration are those of the tensors' shapes.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Find out which of the two is meant, and fetch both from one revision.",
	},
	{
		Rule: RuleLayerMissing, Severity: safetensors.Warning,
		Summary: "Every layer is there, and has what the others have.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Fetch or write the weights again: a loader that goes on leaves the rest uninitialised.",
	},
	{
		Rule: RuleTensorEmpty, Severity: safetensors.Warning,
		Summary: "No weight has the shape [0].",
		Source:  "none: what DeepSpeed ZeRO-3 leaves of a weight that it was not asked to gather", Reference: readsOneFile,
		Fix: "Save the model again with its weights gathered, as by stage3_gather_16bit_weights_on_model_save or zero_to_fp32.py.",
	},
	{
		Rule: RuleHeadMissing, Severity: safetensors.Warning,
		Summary: "A model whose output layer is not tied to its input layer has one.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Set tie_word_embeddings if the two are one; otherwise fetch or write the weights again.",
	},
	{
		Rule: RuleTiedTwice, Severity: safetensors.Note,
		Summary: "Tied weights are stored once.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Nothing has to be done; a rewrite without the second one saves its bytes.",
	},
	{
		Rule: RuleQuantCompanion, Severity: safetensors.Invalid,
		Summary: "A packed weight has the tensors without which it cannot be unpacked: scales, zero points, group indices, its shape or its state.",
		Source:  schemes, Reference: readsOneFile,
		Fix: "Fetch or quantise the weights again: a loader that goes on unpacks them with what is in memory.",
	},
	{
		Rule: RuleQuantShape, Severity: safetensors.Invalid,
		Summary: "The shapes of a packed weight and of its scales, zero points and indices agree.",
		Source:  schemes, Reference: readsOneFile,
		Fix: "Fetch or quantise the weights again: the tensors are of two versions.",
	},
	{
		Rule: RuleQuantConfig, Severity: safetensors.Warning,
		Summary: "The bits, the group size and the block size of the quantisation's configuration are those of the shapes.",
		Source:  schemes, Reference: readsOneFile,
		Fix: "Correct the configuration, or fetch it and the weights from one revision.",
	},
	{
		Rule: RuleAdapterEmpty, Severity: safetensors.Warning,
		Summary: "An adapter has tensors, and changes something.",
		Source:  peft, Reference: readsOneFile,
		Fix: "Save the adapter again: with this one, some loaders fail, and others serve the model without it.",
	},
	{
		Rule: RuleAdapterPair, Severity: safetensors.Warning,
		Summary: "An adapter has both matrices of each module, and they are of one rank.",
		Source:  peft, Reference: readsOneFile,
		Fix: "Save the adapter again.",
	},
	{
		Rule: RuleAdapterRank, Severity: safetensors.Warning,
		Summary: "The rank in adapter_config.json is that of the matrices.",
		Source:  peft, Reference: readsOneFile,
		Fix: "Correct r, or rank_pattern if ranks differ.",
	},
	{
		Rule: RuleTotalParameters, Severity: safetensors.Note,
		Summary: "The index's total_parameters is the number of elements in its tensors, or of the parameters that packed ones stand for.",
		Source:  "none: what the library transformers writes into an index", Reference: readsOneFile,
		Fix: "Nothing has to be done: rely on what `weigh info` counts.",
	},
	{
		Rule: RuleAlignmentCost, Severity: safetensors.Note,
		Summary: "A loader can use the tensors of a mapped file where they are.",
		Source:  "none: what is not aligned to its element's size has to be copied", Reference: readsOneFile,
		Fix: "Write the files again with headers padded to a multiple of 8 and wide dtypes first.",
	},
	{
		Rule: RuleBlobDigest, Severity: safetensors.Invalid,
		Summary: "A blob of the Hub's cache has the digest that it is named after.",
		Source:  hubCache, Reference: readsOneFile,
		Fix: "Remove the blob, and fetch it again.",
	},
	{
		Rule: RuleDownloadDigest, Severity: safetensors.Warning,
		Summary: "A file has the digest that the Hub's record of its download says.",
		Source:  "none: .cache/huggingface/download, where huggingface_hub keeps what it knows of a local folder", Reference: readsOneFile,
		Fix: "Fetch the file again, unless it was changed on purpose.",
	},
	{
		Rule: RuleTiedDiffers, Severity: safetensors.Warning,
		Summary: "Tied weights that are stored twice have the same bytes.",
		Source:  transformers, Reference: readsOneFile,
		Fix: "Find out which of the two is meant: a loader that ties them takes the one and drops the other.",
	},
	{
		Rule: RuleNotFinite, Severity: safetensors.Warning,
		Summary: "Weights are finite numbers.",
		Source:  "none: one NaN spoils all that is computed from it", Reference: readsOneFile,
		Fix: "Fetch the file again. If its digest is right, the training or the conversion has failed.",
	},
	{
		Rule: RuleScaleValue, Severity: safetensors.Warning,
		Summary: "Scales are finite, and not all zero.",
		Source:  schemes, Reference: readsOneFile,
		Fix: "Fetch or quantise the weights again.",
	},
	{
		Rule: RuleZeroRun, Severity: safetensors.Warning,
		Summary: "No stretch of weights is all zeros.",
		Source:  "none: what a download that reserved its space, or a read past the end of a file, leaves", Reference: readsOneFile,
		Fix: "Fetch the file again.",
	},
	{
		Rule: RuleConstantWeight, Severity: safetensors.Note,
		Summary: "The elements of a weight matrix differ.",
		Source:  "none: a matrix of one number has learned nothing", Reference: readsOneFile,
		Fix: "Find out whether the layer was ever trained: some are made to begin with zeros.",
	},
}

// Rules returns the rules about a repository, in the order in which it is read.
func Rules() []safetensors.RuleInfo { return slices.Clone(rules[:]) }
