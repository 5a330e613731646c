// The rules about a set of shards and their index.

// Package finding has the rules about sets of files, and collects violations of them.
package finding

import (
	"fmt"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
)

// The rules, in the order in which a set is read.
const (
	IndexJSON         safetensors.Rule = "index-json"
	IndexPath         safetensors.Rule = "index-path"
	ShardMissing      safetensors.Rule = "shard-missing"
	ShardExtra        safetensors.Rule = "shard-extra"
	TensorMissing     safetensors.Rule = "tensor-missing"
	TensorMisplaced   safetensors.Rule = "tensor-misplaced"
	TensorUnlisted    safetensors.Rule = "tensor-unlisted"
	TensorConflict    safetensors.Rule = "tensor-conflict"
	TensorTwice       safetensors.Rule = "tensor-twice"
	TotalSize         safetensors.Rule = "total-size"
	TwoCopies         safetensors.Rule = "two-copies"
	IndexStale        safetensors.Rule = "index-stale"
	IndexMissing      safetensors.Rule = "index-missing"
	CacheLink         safetensors.Rule = "cache-link"
	FileMode          safetensors.Rule = "file-mode"
	FormatDamaged     safetensors.Rule = "format-damaged"
	FormatUnsupported safetensors.Rule = "format-unsupported"
	FormatDangerous   safetensors.Rule = "format-dangerous"
	WeightsFormat     safetensors.Rule = "weights-format"
)

// convention is the source of rules without a specification: the index files of published models,
// and how the library transformers reads them.
const convention = "none: the convention of model.safetensors.index.json"

var rules = [...]safetensors.RuleInfo{
	{
		Rule: IndexJSON, Severity: safetensors.Invalid,
		Summary: "An index is one JSON object whose weight_map maps tensor names to shard names.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Download the index again, or write it again from the shards.",
	},
	{
		Rule: IndexPath, Severity: safetensors.Invalid,
		Summary: "A shard name is a path below the index that ends in \".safetensors\": no \"..\", not absolute, " +
			"no URL, no backslash, no element that begins with a dot, no unprintable character.",
		Source: convention, Reference: "does not read indexes",
		Fix: "Do not trust the index: it refers to files outside of its folder.",
	},
	{
		Rule: ShardMissing, Severity: safetensors.Invalid,
		Summary: "Every shard that the index names, or that the numbers of other shards imply, exists.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Download the shard: a loader that continues without it leaves weights uninitialized.",
	},
	{
		Rule: ShardExtra, Severity: safetensors.Warning,
		Summary: "Every shard in the folder is listed in the index.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Remove the file if it is left over from an earlier version, or write the index again.",
	},
	{
		Rule: TensorMissing, Severity: safetensors.Invalid,
		Summary: "Every tensor of the index is in a shard.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Download the shards and the index again, from one revision.",
	},
	{
		Rule: TensorMisplaced, Severity: safetensors.Invalid,
		Summary: "Every tensor is in the shard that the index names.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Write the index again from the shards: `weigh edit --in-place --fix FILE`. " +
			"If they come from different revisions, download them again.",
	},
	{
		Rule: TensorUnlisted, Severity: safetensors.Warning,
		Summary: "Every tensor of a shard is listed in the index.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Add the tensor to the index: `weigh edit --in-place --fix FILE`. " +
			"Until then some loaders load it, and some do not.",
	},
	{
		Rule: TensorConflict, Severity: safetensors.Invalid,
		Summary: "No tensor is in two shards with different bytes.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Find out which of the two is right: some loaders take one, some the other.",
	},
	{
		Rule: TensorTwice, Severity: safetensors.Warning,
		Summary: "No tensor is in two shards.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Write the set again: the tensor is stored and loaded twice.",
	},
	{
		Rule: TotalSize, Severity: safetensors.Warning,
		Summary: "The index's total_size is the sum of its tensors' sizes in bytes.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Write the size again: `weigh edit --in-place --fix FILE`. Programs plan memory by it.",
	},
	{
		Rule: TwoCopies, Severity: safetensors.Note,
		Summary: "A folder has only one copy of a model.",
		Source:  "none: some loaders read both", Reference: "does not read folders",
		Fix: "Keep the copy that your loader reads, and remove the other.",
	},
	{
		Rule: IndexStale, Severity: safetensors.Warning,
		Summary:   "No index names only missing shards while a model of the same tensors has another file name.",
		Source:    "none: some loaders read the index, and fail; others read the model that is there",
		Reference: "does not read indexes",
		Fix:       "No download is needed. Remove the index: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: IndexMissing, Severity: safetensors.Warning,
		Summary: "Numbered shards in a folder with a configuration have the index that transformers, diffusers or PEFT looks for.",
		Source:  convention, Reference: "does not read indexes",
		Fix: "Write the index; the shards do not change: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: CacheLink, Severity: safetensors.Error,
		Summary: "The links in the Hub's cache lead to the blobs that they name.",
		Source:  "none: the layout of the Hugging Face Hub's local cache", Reference: "does not read folders",
		Fix: "No download is needed, because the blob exists. Recreate the link: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: FileMode, Severity: safetensors.Note,
		Summary:   "Every user that can read the other files of a folder can read its weights.",
		Source:    "none: safetensors 0.8.0 for Python writes files that only their owner can read",
		Reference: "the Python package writes files that only their owner can read",
		Fix:       "Let the others read the weights: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: FormatDamaged, Severity: safetensors.Invalid,
		Summary: "A file of another format, such as PyTorch, is complete, and all readers agree on what is in it.",
		Source:  "none: the rules of that format", Reference: "does not read other formats",
		Fix: "Download the file again, or save it again.",
	},
	{
		Rule: FormatUnsupported, Severity: safetensors.Invalid,
		Summary:   "A safetensors file can represent at least one tensor of a file of another format.",
		Source:    "none: safetensors has no sparse, quantized or complex128 tensors",
		Reference: "does not read other formats",
		Fix:       "Save the tensors in a dtype and a layout that safetensors has.",
	},
	{
		Rule: FormatDangerous, Severity: safetensors.Warning,
		Summary: "A file of another format runs no dangerous code when it is loaded.",
		Source:  "none: unpickling runs code", Reference: "does not read other formats",
		Fix: "Find out what it would run: `weigh scan FILE`.",
	},
	{
		Rule: WeightsFormat, Severity: safetensors.Warning,
		Summary:   "Weights are safetensors files.",
		Source:    "none: other formats may run code when they are loaded, or cannot be mapped into memory",
		Reference: "does not read other formats",
		Fix:       "Convert the weights: `weigh convert FILE -o NEW`.",
	},
}

// Rules returns the rules in the order in which a set is read.
func Rules() []safetensors.RuleInfo { return slices.Clone(rules[:]) }

// known are the rules by which package checkpoint judges.
var known = sync.OnceValue(func() []safetensors.RuleInfo { return slices.Concat(rules[:], safetensors.Rules()) })

// New returns the violation of a rule.
func New(rule safetensors.Rule, tensor string, at safetensors.Span, format string, args ...any) *safetensors.Violation {
	return violation(nil, rule, tensor, at, fmt.Sprintf(format, args...))
}

// violation returns the violation of a rule, which more or known describe.
func violation(more []safetensors.RuleInfo, rule safetensors.Rule, tensor string, at safetensors.Span,
	detail string) *safetensors.Violation {
	v := &safetensors.Violation{Rule: rule, Severity: safetensors.Invalid, Tensor: tensor, Span: at, Detail: detail}
	for _, list := range [][]safetensors.RuleInfo{more, known()} {
		for i := range list {
			if list[i].Rule == rule {
				v.Severity, v.Fix = list[i].Severity, list[i].Fix
				return v
			}
		}
	}
	return v
}
