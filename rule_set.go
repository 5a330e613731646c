// Rules of a set: the laws between the files of one checkpoint.

package safetensors

// The rules about a set of shards and its index, in the order in which a set is
// read. Package checkpoint judges by them. They stand here so that a Rule has
// one table, and a program that shows violations one source.
const (
	RuleIndexJSON       Rule = "index-json"
	RuleIndexPath       Rule = "index-path"
	RuleShardMissing    Rule = "shard-missing"
	RuleShardExtra      Rule = "shard-extra"
	RuleTensorMissing   Rule = "tensor-missing"
	RuleTensorMisplaced Rule = "tensor-misplaced"
	RuleTensorUnlisted  Rule = "tensor-unlisted"
	RuleTensorConflict  Rule = "tensor-conflict"
	RuleTensorTwice     Rule = "tensor-twice"
	RuleTotalSize       Rule = "total-size"
	RuleTwoCopies       Rule = "two-copies"
)

// convention is the clause of rules that no specification has: what the index
// files of published models hold, and what the library transformers makes of
// them.
const convention = "none: the convention of model.safetensors.index.json"

var setLaws = [...]law{
	{RuleIndexJSON, Invalid, "An index is one JSON object, whose weight_map maps tensor names to shard names.",
		convention, "does not read indexes",
		"Fetch the index again, or write it again from the shards."},
	{RuleIndexPath, Invalid, "A shard's name is a path below the index that ends in \".safetensors\": no \"..\", not absolute, no URL, no backslash, no element that begins with a dot, no unprintable character.",
		convention, "does not read indexes",
		"Do not trust the index: it points out of its folder."},
	{RuleShardMissing, Invalid, "Every shard that the index names, or the numbers of the others imply, is there.",
		convention, "does not read indexes",
		"Fetch the shard: a loader that goes on without it leaves weights uninitialised."},
	{RuleShardExtra, Warning, "Every shard of the folder is in the index.",
		convention, "does not read indexes",
		"Remove the file if it is left over from an earlier version, or write the index again."},
	{RuleTensorMissing, Invalid, "Every tensor of the index is in a shard.",
		convention, "does not read indexes",
		"Fetch the shards and the index again, from one revision."},
	{RuleTensorMisplaced, Invalid, "A tensor is in the shard that the index says.",
		convention, "does not read indexes",
		"Fetch the shards and the index again, from one revision, or write the index again."},
	{RuleTensorUnlisted, Warning, "Every tensor of a shard is in the index.",
		convention, "does not read indexes",
		"Write the index again, or the shard without the tensor: some loaders load it, some do not."},
	{RuleTensorConflict, Invalid, "No tensor is in two shards with different bytes.",
		convention, "does not read indexes",
		"Find out which of the two is meant: loaders take the one or the other."},
	{RuleTensorTwice, Warning, "No tensor is in two shards.",
		convention, "does not read indexes",
		"Write the set again: the tensor is stored, and loaded, twice."},
	{RuleTotalSize, Warning, "The index's total_size is the sum of its tensors' sizes in bytes.",
		convention, "does not read indexes",
		"Write the index again: programs that plan memory by it go wrong."},
	{RuleTwoCopies, Note, "A folder holds one copy of a model.",
		"none: some loaders read both", "does not read folders",
		"Fetch the copy that your loader reads, and not the other."},
}
