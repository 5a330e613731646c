// Rules of a repository: the laws between weights and what lies beside them.

package safetensors

// The rules about a repository, which is a folder of weights with the files that
// say what they are: in the order in which it is read, those that need the data
// last. Package repository judges by them; they stand here for the reason that
// those about sets do.
const (
	RuleNotFetched         Rule = "not-fetched"
	RuleDownloadUnfinished Rule = "download-unfinished"
	RuleRefMissing         Rule = "ref-missing"
	RuleOtherFormat        Rule = "other-format"
	RulePathUnsafe         Rule = "path-unsafe"
	RulePathCollision      Rule = "path-collision"
	RuleConfigJSON         Rule = "config-json"
	RuleConfigShape        Rule = "config-shape"
	RuleLayerMissing       Rule = "layer-missing"
	RuleTensorEmpty        Rule = "tensor-empty"
	RuleHeadMissing        Rule = "head-missing"
	RuleTiedTwice          Rule = "tied-twice"
	RuleQuantCompanion     Rule = "quant-companion"
	RuleQuantShape         Rule = "quant-shape"
	RuleQuantConfig        Rule = "quant-config"
	RuleAdapterEmpty       Rule = "adapter-empty"
	RuleAdapterPair        Rule = "adapter-pair"
	RuleAdapterRank        Rule = "adapter-rank"
	RuleTotalParameters    Rule = "total-parameters"
	RuleAlignmentCost      Rule = "alignment-cost"
	RuleBlobDigest         Rule = "blob-digest"
	RuleDownloadDigest     Rule = "download-digest"
	RuleTiedDiffers        Rule = "tied-differs"
	RuleNotFinite          Rule = "not-finite"
	RuleScaleValue         Rule = "scale-value"
	RuleZeroRun            Rule = "zero-run"
	RuleConstantWeight     Rule = "constant-weight"
)

// Whose conventions they are. The reference implementation has nothing to do with
// any.
const (
	hubCache     = "none: the layout of the Hugging Face Hub's local cache"
	transformers = "none: the convention of the library transformers"
	peft         = "none: the convention of the library PEFT"
	schemes      = "none: the conventions of GPTQ, AWQ, compressed-tensors, ModelOpt, bitsandbytes, MLX and the OCP formats"
	readsOneFile = "reads one file, and no other beside it"
)

var repositoryLaws = [...]law{
	{RuleNotFetched, Warning, "The files beside the weights are themselves, and not a Git LFS pointer or an error page in their place.",
		"none: loaders read them", readsOneFile,
		"Run `git lfs pull`, or check the URL and the login, and fetch the file again."},
	{RuleDownloadUnfinished, Note, "No download was left off halfway.",
		"none: the names that programs give to what they have not fetched to its end", readsOneFile,
		"Fetch the file again, or remove what is left of it if the whole one is there."},
	{RuleRefMissing, Warning, "A reference in the Hub's cache names a snapshot that is there.",
		hubCache, readsOneFile,
		"Fetch the revision again, or remove the reference: without a network, loaders that are asked for it find nothing."},
	{RuleOtherFormat, Note, "A folder holds its weights in one format.",
		"none: loaders choose by formats, and differ in their choice", readsOneFile,
		"Fetch the format that your loader reads, and not the others. Formats made of pickles can run code when they are loaded."},
	{RulePathUnsafe, Warning, "The names of files are free of control characters, those that turn the direction of text among them, and of backslashes and colons.",
		"none: names end up on terminals, and systems differ in what they make of them", readsOneFile,
		"Rename the file, or do not trust where it comes from."},
	{RulePathCollision, Note, "No two paths differ in upper and lower case alone.",
		"none: Windows and macOS as they are set up take two such files for one", readsOneFile,
		"Rename one of the two."},
	{RuleConfigJSON, Warning, "A configuration beside the weights is one JSON object.",
		transformers, readsOneFile,
		"Fetch the file again, or write it again."},
	{RuleConfigShape, Warning, "The numbers of the configuration are those of the tensors' shapes.",
		transformers, readsOneFile,
		"Find out which of the two is meant, and fetch both from one revision."},
	{RuleLayerMissing, Warning, "Every layer is there, and has what the others have.",
		transformers, readsOneFile,
		"Fetch or write the weights again: a loader that goes on leaves the rest uninitialised."},
	{RuleTensorEmpty, Warning, "No weight has the shape [0].",
		"none: what DeepSpeed ZeRO-3 leaves of a weight that it was not asked to gather", readsOneFile,
		"Save the model again with its weights gathered, as by stage3_gather_16bit_weights_on_model_save or zero_to_fp32.py."},
	{RuleHeadMissing, Warning, "A model whose output layer is not tied to its input layer has one.",
		transformers, readsOneFile,
		"Set tie_word_embeddings if the two are one; otherwise fetch or write the weights again."},
	{RuleTiedTwice, Note, "Tied weights are stored once.",
		transformers, readsOneFile,
		"Nothing has to be done; a rewrite without the second one saves its bytes."},
	{RuleQuantCompanion, Invalid, "A packed weight has the tensors without which it cannot be unpacked: scales, zero points, group indices, its shape or its state.",
		schemes, readsOneFile,
		"Fetch or quantise the weights again: a loader that goes on unpacks them with what is in memory."},
	{RuleQuantShape, Invalid, "The shapes of a packed weight and of its scales, zero points and indices agree.",
		schemes, readsOneFile,
		"Fetch or quantise the weights again: the tensors are of two versions."},
	{RuleQuantConfig, Warning, "The bits, the group size and the block size of the quantisation's configuration are those of the shapes.",
		schemes, readsOneFile,
		"Correct the configuration, or fetch it and the weights from one revision."},
	{RuleAdapterEmpty, Warning, "An adapter has tensors, and changes something.",
		peft, readsOneFile,
		"Save the adapter again: with this one, some loaders fail, and others serve the model without it."},
	{RuleAdapterPair, Warning, "An adapter has both matrices of each module, and they are of one rank.",
		peft, readsOneFile,
		"Save the adapter again."},
	{RuleAdapterRank, Warning, "The rank in adapter_config.json is that of the matrices.",
		peft, readsOneFile,
		"Correct r, or rank_pattern if ranks differ."},
	{RuleTotalParameters, Note, "The index's total_parameters is the number of elements in its tensors, or of the parameters that packed ones stand for.",
		"none: what the library transformers writes into an index", readsOneFile,
		"Nothing has to be done: rely on what `weigh info` counts."},
	{RuleAlignmentCost, Note, "A loader can use the tensors of a mapped file where they are.",
		"none: what is not aligned to its element's size has to be copied", readsOneFile,
		"Write the files again with headers padded to a multiple of 8 and wide dtypes first."},
	{RuleBlobDigest, Invalid, "A blob of the Hub's cache has the digest that it is named after.",
		hubCache, readsOneFile,
		"Remove the blob, and fetch it again."},
	{RuleDownloadDigest, Warning, "A file has the digest that the Hub's record of its download says.",
		"none: .cache/huggingface/download, where huggingface_hub keeps what it knows of a local folder", readsOneFile,
		"Fetch the file again, unless it was changed on purpose."},
	{RuleTiedDiffers, Warning, "Tied weights that are stored twice have the same bytes.",
		transformers, readsOneFile,
		"Find out which of the two is meant: a loader that ties them takes the one and drops the other."},
	{RuleNotFinite, Warning, "Weights are finite numbers.",
		"none: one NaN spoils all that is computed from it", readsOneFile,
		"Fetch the file again. If its digest is right, the training or the conversion has failed."},
	{RuleScaleValue, Warning, "Scales are finite, and not all zero.",
		schemes, readsOneFile,
		"Fetch or quantise the weights again."},
	{RuleZeroRun, Warning, "No stretch of weights is all zeros.",
		"none: what a download that reserved its space, or a read past the end of a file, leaves", readsOneFile,
		"Fetch the file again."},
	{RuleConstantWeight, Note, "The elements of a weight matrix differ.",
		"none: a matrix of one number has learned nothing", readsOneFile,
		"Find out whether the layer was ever trained: some are made to begin with zeros."},
}
