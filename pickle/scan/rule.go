// Rules: what can be found in a file, in addition to the rules of package pickle.

package scan

import (
	"iter"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/scan/internal/texts"
)

// The rules about archives and compressed data.
const (
	RuleBadEnd         pickle.Rule = "bad-eocd"
	RuleManyEnds       pickle.Rule = "multiple-eocd"
	RulePrefixData     pickle.Rule = "prefix-data"
	RuleUnlistedData   pickle.Rule = "unlisted-data"
	RuleBadOffset      pickle.Rule = "bad-offset"
	RuleHeaderMismatch pickle.Rule = "header-mismatch"
	RuleBadHeader      pickle.Rule = "bad-header"
	RuleBadFlags       pickle.Rule = "bad-flags"
	RuleBadCRC         pickle.Rule = "bad-crc"
	RuleOverlap        pickle.Rule = "overlap"
	RuleOrphan         pickle.Rule = "orphan-entry"
	RuleDuplicateEntry pickle.Rule = "duplicate-entry"
	RuleUnsafeName     pickle.Rule = "unsafe-name"
	RuleSymlink        pickle.Rule = "symlink"
	RuleOddMember      pickle.Rule = "odd-member"
	RuleOddCompression pickle.Rule = "odd-compression"
	RuleEncrypted      pickle.Rule = "encrypted"
	RuleManyRoots      pickle.Rule = "multiple-roots"
	RuleCompressed     pickle.Rule = "compressed-wrapper"
	RuleNestedArchive  pickle.Rule = pickle.RuleNestedBox
	Rule7z             pickle.Rule = "7z"
	RuleRAR            pickle.Rule = "rar"
	RuleZstandard      pickle.Rule = "zstd"
)

// The rules about the format of a file.
const (
	RuleAccepted       pickle.Rule = "accepted"
	RuleUnscanned      pickle.Rule = "unscanned"
	RuleUnanalysed     pickle.Rule = "unanalysed"
	RulePolyglot       pickle.Rule = "polyglot"
	RuleExtension      pickle.Rule = "extension-mismatch"
	RuleLFSPointer     pickle.Rule = "lfs-pointer"
	RuleLookAlike      pickle.Rule = "look-alike"
	RuleUnsupported    pickle.Rule = "unsupported-format"
	RulePartlySearched pickle.Rule = "partly-searched"
)

// The rules about checkpoints.
const (
	RuleByteOrder    pickle.Rule = "bad-byteorder"
	RuleStorageAway  pickle.Rule = "missing-storage"
	RuleTorchScript  pickle.Rule = "torchscript"
	RulePythonSource pickle.Rule = "python-source-in-archive"
	RuleNumPyObject  pickle.Rule = "numpy-object"
)

// The rules about formats other than pickle.
const (
	RuleKerasLambda   pickle.Rule = "keras-lambda"
	RuleKerasModule   pickle.Rule = "keras-config-module"
	RuleKerasCustom   pickle.Rule = "keras-custom-object"
	RuleBadConfig     pickle.Rule = "bad-config"
	RuleConfigSearch  pickle.Rule = "config-search"
	RuleJava          pickle.Rule = "java-serialization"
	RuleJavaGadget    pickle.Rule = "java-gadget"
	RuleMetadataCode  pickle.Rule = "metadata-code"
	RuleNotSafeTensor pickle.Rule = "bad-safetensors"
)

// A law is the table's entry for a rule.
type law struct {
	rule     pickle.Rule
	severity pickle.Severity
	text     string
}

// laws is the table of the rules of this package, and of the rules of package pickle that
// this package also reports.
var laws = [...]law{
	{pickle.RuleTruncated, pickle.Warning, "The data is truncated."},
	{pickle.RuleTrailing, pickle.Warning, "Bytes follow the end of the data."},
	{pickle.RuleNotPickle, pickle.Warning, "The file is named like a pickle but is not one."},
	{pickle.RuleEmbedded, pickle.Warning, "Data that loading does not execute contains a pickle."},
	{pickle.RuleNested, pickle.Note, "A pickle contains another one, which is loaded with it."},
	{RuleNestedArchive, pickle.Note, "An archive is nested in another file."},

	{RuleBadEnd, pickle.Warning, "The end record of a zip archive does not match its directory."},
	{RuleManyEnds, pickle.Warning, "A zip archive has several end records; readers may use different ones."},
	{RulePrefixData, pickle.Warning, "Bytes precede a zip archive; only some readers find it."},
	{RuleUnlistedData, pickle.Warning, "An archive contains bytes that belong to no member."},
	{RuleBadOffset, pickle.Warning, "The offset of an archive member is wrong."},
	{RuleHeaderMismatch, pickle.Warning,
		"The directory of a zip archive and the header of a member disagree; readers may use either."},
	{RuleBadHeader, pickle.Warning, "A header is invalid."},
	{RuleBadFlags, pickle.Warning, "A member of a zip archive has flags that some readers reject."},
	{RuleBadCRC, pickle.Warning,
		"A member of an archive has the wrong checksum; some readers reject it, PyTorch does not."},
	{RuleOverlap, pickle.Warning, "Members of an archive overlap."},
	{RuleOrphan, pickle.Warning, "A member of a zip archive is not listed in its directory; only some readers see it."},
	{RuleDuplicateEntry, pickle.Warning, "Two members of an archive have the same name for some readers."},
	{RuleUnsafeName, pickle.Warning,
		"The name of a member leads outside of the target folder, or differs between readers."},
	{RuleSymlink, pickle.Warning, "A member of an archive is a link."},
	{RuleOddMember, pickle.Warning, "A member of an archive is neither a file nor a folder."},
	{RuleOddCompression, pickle.Warning,
		"A member of a zip archive has a compression that PyTorch does not support and other readers do."},
	{RuleEncrypted, pickle.Warning, "A member of an archive is encrypted."},
	{RuleManyRoots, pickle.Warning,
		"An archive contains several checkpoints; the order of its directory decides which one is loaded."},
	{RuleCompressed, pickle.Note, "The file is compressed; the decompressed data was analyzed."},
	{Rule7z, pickle.Warning, "The file is a 7z archive, which PyTorch does not read but a custom loader may."},
	{RuleRAR, pickle.Warning, "The file is a RAR archive, which PyTorch does not read but a custom loader may."},
	{RuleZstandard, pickle.Warning, "The file is compressed by Zstandard, which is not decompressed."},

	{RuleAccepted, pickle.Note, "The policy accepts the file by its digest; it was not analyzed."},
	{RuleUnscanned, pickle.Warning, "Something in the file was not analyzed."},
	{RuleUnanalysed, pickle.Note, "The format of the file is not analyzed, so it is not safe either."},
	{RulePolyglot, pickle.Warning, "The file has several formats at once; the loader decides what is loaded."},
	{RuleExtension, pickle.Warning, "A file that may contain code is named like one that cannot."},
	{RuleLFSPointer, pickle.Warning, "The file is a pointer to another one, which was not downloaded."},
	{RuleLookAlike, pickle.Note, "The format of the file differs from its name."},
	{RulePartlySearched, pickle.Note,
		"Only a part of the data that no loader executes was searched for pickles; a deep scan searches all of it."},
	{RuleUnsupported, pickle.Warning, "The format is known but not analyzed."},

	{RuleByteOrder, pickle.Warning, "The byte order of a checkpoint is invalid."},
	{torchfile.RuleMagic, pickle.Warning, "The magic number of a checkpoint is encoded differently from PyTorch."},
	{torchfile.RuleStorageKey, pickle.Warning, "The key of a storage is invalid."},
	{torchfile.RuleStorageType, pickle.Warning, "A storage has two types or two sizes."},
	{torchfile.RuleStorageSize, pickle.Warning, "The size of a storage does not match its data."},
	{torchfile.RuleShape, pickle.Warning, "The shape of a tensor is invalid."},
	{torchfile.RuleStride, pickle.Warning, "The strides of a tensor are invalid."},
	{torchfile.RuleTensorRange, pickle.Warning, "A tensor extends beyond its storage."},
	{RuleStorageAway, pickle.Warning, "The data of a storage is missing."},
	{RuleTorchScript, pickle.Warning, "The file contains a TorchScript program, which runs when the model is called."},
	{RulePythonSource, pickle.Warning, "An archive contains Python source code, which the loaders of such archives run."},
	{RuleNumPyObject, pickle.Warning, "A NumPy array contains objects, which are a pickle."},

	{RuleKerasLambda, pickle.Error, "A Keras model has a layer with Python bytecode."},
	{RuleKerasModule, pickle.Error,
		"A Keras model refers to a function or class outside of Keras, which loading imports."},
	{RuleKerasCustom, pickle.Warning, "A Keras model refers to a custom object."},
	{RuleKerasCall, pickle.Warning, "A layer of a Keras model calls a function of TensorFlow."},
	{RuleKerasFile, pickle.Warning, "A layer of a Keras model reads a file when it is loaded."},
	{RuleBadConfig, pickle.Warning, "The configuration of a model is invalid JSON or has duplicate keys."},
	{RuleConfigSearch, pickle.Note, "An HDF5 file was searched for configurations, not parsed."},
	{texts.RuleYAMLCall, pickle.Error,
		"A YAML tag makes PyYAML import or call a name that runs code, except with a safe loader."},
	{texts.RuleYAMLTag, pickle.Warning,
		"A YAML tag makes PyYAML or another reader create an object, except with a safe loader."},
	{texts.RuleConfigCall, pickle.Warning,
		"A configuration names a class, function or module that programs import and call when they follow it."},
	{texts.RuleRemoteCode, pickle.Warning,
		"A configuration names Python code of a repository, which programs run if the user trusts it."},
	{texts.RuleTemplate, pickle.Error,
		"A Jinja template reads attributes through which it runs code, except in a sandbox."},
	{texts.RuleOddLookup, pickle.Warning, "A Jinja template hides which attributes it reads or functions it calls."},
	{texts.RuleSource, pickle.Warning, "Python source code is imported by its name, or starts programs or other code."},
	{texts.RuleSitePath, pickle.Error, "A .pth file has a line that Python runs when it starts."},
	{RuleJava, pickle.Warning, "The file contains serialized Java objects, which loading creates."},
	{RuleJavaGadget, pickle.Error, "Serialized Java objects include a class that is known to run code when it is loaded."},
	{RuleGraphOp, pickle.Error, "A TensorFlow graph contains an operation that accesses files or calls Python."},
	{RuleGraphCustom, pickle.Warning, "A TensorFlow graph contains an operation that a library must provide."},
	{RuleONNXData, pickle.Warning, "An ONNX model reads files outside of its folder."},
	{RuleONNXOp, pickle.Warning, "An ONNX model contains an operator that a library must provide."},
	{RuleONNXPython, pickle.Error, "An ONNX model contains an operator that calls Python."},
	{RuleMetadataCode, pickle.Warning,
		"Metadata contains code or markup, which runs only if a program executes metadata."},
	{RuleNotSafeTensor, pickle.Note, "A safetensors file violates rules of its format."},
}

// lawOf returns the entry for a rule, or nil.
func lawOf(rule pickle.Rule) *law {
	for i := range laws {
		if laws[i].rule == rule {
			return &laws[i]
		}
	}
	return nil
}

// Rules yields all rules that a report may contain, beginning with those of package pickle. The
// order is fixed.
func Rules() iter.Seq[pickle.Rule] {
	return func(yield func(pickle.Rule) bool) {
		seen := make(map[pickle.Rule]bool)
		for rule := range pickle.Rules() {
			seen[rule] = true
			if !yield(rule) {
				return
			}
		}
		for i := range laws {
			if rule := laws[i].rule; !seen[rule] && !yield(rule) {
				return
			}
		}
	}
}

// Text describes a rule in a sentence. It returns "" for an unknown rule.
func Text(rule pickle.Rule) string {
	if l := lawOf(rule); l != nil {
		return l.text
	}
	return rule.Text()
}

// Severity returns the severity of findings of the given rule. For rules of package pickle it
// is the usual severity: the actual one depends on the finding.
func Severity(rule pickle.Rule) pickle.Severity {
	if l := lawOf(rule); l != nil {
		return l.severity
	}
	switch rule {
	case pickle.RuleDangerous, pickle.RulePolicyDeny, pickle.RuleDunderGlobal, pickle.RuleReexport, pickle.RuleComputed,
		pickle.RuleComputedCall,
		pickle.RuleCallableArg, pickle.RuleDunderString, pickle.RuleDunderState, pickle.RuleDynamicClass,
		pickle.RuleBuildImport:
		return pickle.Error
	case pickle.RuleAllowed, pickle.RuleProfile, pickle.RulePolicyAllow, pickle.RuleResolved, pickle.RuleMultiple,
		pickle.RuleRawArray:
		return pickle.Note
	}
	return pickle.Warning
}
