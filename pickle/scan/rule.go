// Rules: what can be found in a file beside what can be found in a pickle.

package scan

import (
	"iter"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// The rules about archives and what is packed.
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

// The rules about what a file is.
const (
	RuleAccepted       pickle.Rule = "accepted"
	RuleUnscanned      pickle.Rule = "unscanned"
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

// The rules about formats that are no pickles.
const (
	RuleKerasLambda   pickle.Rule = "keras-lambda"
	RuleKerasModule   pickle.Rule = "keras-config-module"
	RuleKerasCustom   pickle.Rule = "keras-custom-object"
	RuleBadConfig     pickle.Rule = "bad-config"
	RuleConfigSearch  pickle.Rule = "config-search"
	RuleYAMLCall      pickle.Rule = "yaml-python-call"
	RuleYAMLTag       pickle.Rule = "yaml-python-tag"
	RuleJava          pickle.Rule = "java-serialization"
	RuleJavaGadget    pickle.Rule = "java-gadget"
	RuleGraphOp       pickle.Rule = "tensorflow-op"
	RuleMetadataCode  pickle.Rule = "metadata-code"
	RuleNotSafeTensor pickle.Rule = "bad-safetensors"
)

// A law is what the table says of a rule.
type law struct {
	rule     pickle.Rule
	severity pickle.Severity
	text     string
}

// laws is the one table of the rules of this package, and of those of package pickle
// that are found here, too.
var laws = [...]law{
	{pickle.RuleTruncated, pickle.Warning, "The bytes end before what they begin does."},
	{pickle.RuleTrailing, pickle.Warning, "There are bytes after the end, which belong to nothing."},
	{pickle.RuleNotPickle, pickle.Warning, "The bytes are not a pickle, though the name says so."},
	{pickle.RuleEmbedded, pickle.Warning, "A pickle stands in bytes that loading leaves alone."},
	{pickle.RuleNested, pickle.Note, "A pickle stands within another, and is loaded with it."},
	{RuleNestedArchive, pickle.Note, "An archive stands within another part."},

	{RuleBadEnd, pickle.Warning, "The end record of a zip archive does not fit its directory."},
	{RuleManyEnds, pickle.Warning, "A zip archive has more than one end record, and readers may take another."},
	{RulePrefixData, pickle.Warning, "Bytes stand before a zip archive: some readers find it behind them, some do not."},
	{RuleUnlistedData, pickle.Warning, "Bytes within an archive belong to none of its members."},
	{RuleBadOffset, pickle.Warning, "A member of an archive is said to be where none is."},
	{RuleHeaderMismatch, pickle.Warning, "The directory of a zip archive and the header before a member disagree, and readers believe one or the other."},
	{RuleBadHeader, pickle.Warning, "A header is not as the format has it."},
	{RuleBadFlags, pickle.Warning, "A member of a zip archive has flags that some readers refuse."},
	{RuleBadCRC, pickle.Warning, "A member of an archive does not have the checksum that it should: some readers refuse it, PyTorch's does not."},
	{RuleOverlap, pickle.Warning, "Members of an archive share bytes."},
	{RuleOrphan, pickle.Warning, "A member stands in a zip archive without being listed: some readers see it, some do not."},
	{RuleDuplicateEntry, pickle.Warning, "Two members of an archive have a name that is one to some reader."},
	{RuleUnsafeName, pickle.Warning, "The name of a member leads somewhere else when the archive is unpacked, or is another to other readers."},
	{RuleSymlink, pickle.Warning, "A member of an archive is a link once it is unpacked."},
	{RuleOddMember, pickle.Warning, "A member of an archive is neither a file nor a folder."},
	{RuleOddCompression, pickle.Warning, "A member of a zip archive is packed in a way that PyTorch does not read, and others do."},
	{RuleEncrypted, pickle.Warning, "A member of an archive is encrypted."},
	{RuleManyRoots, pickle.Warning, "A checkpoint has several folders, and which one is loaded depends on the order of its directory."},
	{RuleCompressed, pickle.Note, "The bytes are packed, and what they unpack to was looked at."},
	{Rule7z, pickle.Warning, "The bytes are a 7z archive: PyTorch does not read it, a loader of its own would."},
	{RuleRAR, pickle.Warning, "The bytes are a RAR archive: PyTorch does not read it, a loader of its own would."},
	{RuleZstandard, pickle.Warning, "The bytes are packed by Zstandard."},

	{RuleAccepted, pickle.Note, "The policy accepts the file as it is, and it was not looked at."},
	{RuleUnscanned, pickle.Warning, "Something in the file was not looked at, so nobody knows what it is."},
	{RulePolyglot, pickle.Warning, "The bytes are several formats at once: what is loaded depends on the loader."},
	{RuleExtension, pickle.Warning, "What may hold code has the name of something else."},
	{RuleLFSPointer, pickle.Warning, "The file stands for another one, which was not fetched."},
	{RuleLookAlike, pickle.Note, "The file is something else than its name says."},
	{RulePartlySearched, pickle.Note, "Bytes that no loader takes for code were not all searched for pickles: a deep scan does."},
	{RuleUnsupported, pickle.Warning, "The format is known, and not looked into."},

	{RuleByteOrder, pickle.Warning, "The byte order of a checkpoint is none that exists."},
	{torchfile.RuleMagic, pickle.Warning, "The number with which a checkpoint begins is written as PyTorch does not write it."},
	{torchfile.RuleStorageKey, pickle.Warning, "The key of a storage, the numbers of tensors, is none that can be."},
	{torchfile.RuleStorageType, pickle.Warning, "One storage is said to have two types or two sizes."},
	{torchfile.RuleStorageSize, pickle.Warning, "The numbers of a tensor take more or fewer bytes than are there."},
	{torchfile.RuleShape, pickle.Warning, "The shape of a tensor is none that can be."},
	{torchfile.RuleStride, pickle.Warning, "The strides of a tensor are none that it can have."},
	{torchfile.RuleTensorRange, pickle.Warning, "A tensor reaches beyond the numbers that it is a view of."},
	{RuleStorageAway, pickle.Warning, "The numbers of a tensor are not there."},
	{RuleTorchScript, pickle.Warning, "The file has a program in PyTorch's own language, which loading prepares and calling runs."},
	{RulePythonSource, pickle.Warning, "An archive has Python source in it, which runs if it is loaded by what such archives are for."},
	{RuleNumPyObject, pickle.Warning, "A NumPy array has objects in it, which are a pickle."},

	{RuleKerasLambda, pickle.Error, "A Keras model has a layer that is Python code."},
	{RuleKerasModule, pickle.Error, "A Keras model names a function or a class outside of Keras, which loading imports."},
	{RuleKerasCustom, pickle.Warning, "A Keras model names an object that is not Keras's."},
	{RuleBadConfig, pickle.Warning, "The configuration of a model is no JSON, or says something twice."},
	{RuleConfigSearch, pickle.Note, "An HDF5 file was searched for the text of a configuration, and not taken apart."},
	{RuleYAMLCall, pickle.Error, "A tag in a YAML text names what PyYAML imports or calls when it is loaded, unless by a safe loader."},
	{RuleYAMLTag, pickle.Warning, "A tag in a YAML text has PyYAML make a Python object when it is loaded, unless by a safe loader."},
	{RuleJava, pickle.Warning, "The bytes are serialized Java objects, which loading makes."},
	{RuleJavaGadget, pickle.Error, "Serialized Java objects are of a class that is known to run code when it is loaded."},
	{RuleGraphOp, pickle.Error, "A TensorFlow graph has a node that reaches files or Python when it is run."},
	{RuleMetadataCode, pickle.Warning, "Metadata has code or markup in it, which runs only if something runs metadata."},
	{RuleNotSafeTensor, pickle.Note, "A safetensors file breaks rules of its format."},
}

// lawOf returns the row of a rule, nil if this package has none.
func lawOf(rule pickle.Rule) *law {
	for i := range laws {
		if laws[i].rule == rule {
			return &laws[i]
		}
	}
	return nil
}

// Rules yields all rules that a report may name, those of package pickle first. Their
// order is that of tables, and the same in all reports.
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

// Text says what a rule is about, as a sentence, "" if there is no such rule.
func Text(rule pickle.Rule) string {
	if l := lawOf(rule); l != nil {
		return l.text
	}
	return rule.Text()
}

// Severity returns the severity of a finding of the given rule. Of the rules of
// package pickle it depends on what was found, and that which is given is the usual.
func Severity(rule pickle.Rule) pickle.Severity {
	if l := lawOf(rule); l != nil {
		return l.severity
	}
	switch rule {
	case pickle.RuleDangerous, pickle.RulePolicyDeny, pickle.RuleDunderGlobal, pickle.RuleReexport, pickle.RuleComputed, pickle.RuleComputedCall,
		pickle.RuleCallableArg, pickle.RuleDunderString, pickle.RuleDunderState, pickle.RuleDynamicClass, pickle.RuleBuildImport:
		return pickle.Error
	case pickle.RuleAllowed, pickle.RuleProfile, pickle.RulePolicyAllow, pickle.RuleResolved, pickle.RuleMultiple, pickle.RuleRawArray:
		return pickle.Note
	}
	return pickle.Warning
}
