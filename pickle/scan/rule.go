// Rules: what can be found in a file, in addition to the rules of package pickle.

package scan

import (
	"iter"

	"github.com/weightools/safetensors/pickle/scan/internal/columnar"
	"github.com/weightools/safetensors/pickle/scan/internal/hdf5"
	"github.com/weightools/safetensors/pickle/scan/internal/onnx"
	"github.com/weightools/safetensors/pickle/scan/internal/rdata"
	"github.com/weightools/safetensors/pickle/scan/internal/skops"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
	"github.com/weightools/safetensors/pickle/scan/internal/tflite"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
	"github.com/weightools/safetensors/pickle/scan/internal/kinds"
	"github.com/weightools/safetensors/pickle/scan/internal/ruletable"
)

// The rules about archives and compressed data.
const (
	RuleBadEnd         pickle.Rule = "bad-eocd"
	RuleManyEnds       pickle.Rule = "multiple-eocd"
	RulePrefixData     pickle.Rule = "prefix-data"
	RuleUnlistedData   pickle.Rule = "unlisted-data"
	RuleBadOffset      pickle.Rule = "bad-offset"
	RuleHeaderMismatch pickle.Rule = "header-mismatch"
	RuleBadHeader      pickle.Rule = foreign.RuleBadHeader
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
	RuleUnsupported    pickle.Rule = kinds.Unsupported
	RulePartlySearched pickle.Rule = "partly-searched"
)

// The rules about checkpoints.
const (
	RuleByteOrder    pickle.Rule = "bad-byteorder"
	RuleStorageAway  pickle.Rule = "missing-storage"
	RuleTorchScript  pickle.Rule = foreign.RuleTorchScript
	RulePythonSource pickle.Rule = "python-source-in-archive"
	RuleNumPyObject  pickle.Rule = "numpy-object"
)

// The rules about formats other than pickle.
const (
	RuleKerasLambda   pickle.Rule = keras.RuleLambda
	RuleKerasModule   pickle.Rule = keras.RuleModule
	RuleKerasCustom   pickle.Rule = keras.RuleCustom
	RuleBadConfig     pickle.Rule = evidence.RuleBadConfig
	RuleConfigSearch  pickle.Rule = foreign.RuleConfigSearch
	RuleJava          pickle.Rule = foreign.RuleJava
	RuleJavaGadget    pickle.Rule = foreign.RuleJavaGadget
	RuleMetadataCode  pickle.Rule = "metadata-code"
	RuleNotSafeTensor pickle.Rule = "bad-safetensors"
)

// Rules yields all rules that a report may contain, beginning with the rules of package pickle. The
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
		for i := range ruletable.Table {
			if rule := ruletable.Table[i].Rule; !seen[rule] && !yield(rule) {
				return
			}
		}
	}
}

// Text describes a rule in a sentence. It returns "" for an unknown rule.
func Text(rule pickle.Rule) string {
	if e := ruletable.Of(rule); e != nil {
		return e.Text
	}
	return rule.Text()
}

// Severity returns the severity of findings of the given rule. For rules of package pickle it
// is the usual severity: the actual one depends on the finding.
func Severity(rule pickle.Rule) pickle.Severity { return ruletable.Usual(rule) }

// The rules about graphs.
const (
	RuleKerasCall   pickle.Rule = keras.RuleCall
	RuleKerasFile   pickle.Rule = keras.RuleFile
	RuleSkops       pickle.Rule = skops.Rule
	RuleGraphOp     pickle.Rule = tfgraph.Rule
	RuleGraphCustom pickle.Rule = tfgraph.RuleCustom
	RuleONNXData    pickle.Rule = onnx.RuleData
	RuleONNXOp      pickle.Rule = onnx.RuleOp
	RuleONNXPython  pickle.Rule = onnx.RulePython
	RuleTFLite      pickle.Rule = tflite.RuleCustom
	RuleArrowType   pickle.Rule = columnar.RuleType
	RuleArrowPickle pickle.Rule = columnar.RulePickle
	RuleHDF5File    pickle.Rule = hdf5.RuleFile
	RuleRPromise    pickle.Rule = rdata.RulePromise
	RuleRCode       pickle.Rule = rdata.RuleCode
)
