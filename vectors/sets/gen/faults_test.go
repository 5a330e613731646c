// Vectors with one fault each, in the order of the rules.

package gen

import (
	"fmt"
	"strings"
)

func indexCutOff(v *vector) {
	v.breaks("index-json", index, "", "the index is cut off")
	v.shards()
	v.add(index, `{"metadata": {"total_size": 32}, "weight_map": {"a": "`+one+`", "b": "model-000`)
	v.faultAt("")
}

func indexNoMap(v *vector) {
	v.breaks("index-json", index, "", "the index has no weight_map; the shards are judged by their numbers")
	v.shards()
	v.add(index, `{"metadata": {"total_size": 32}}`)
}

func indexNumber(v *vector) {
	v.breaks("index-json", index, "c", "a tensor has a number where the name of its shard is due")
	v.shards()
	v.add(index, `{"metadata": {"total_size": 32}, "weight_map": {"a": "`+one+`", "b": "`+two+`", "c": 2}}`)
	v.faultAt(`"c": 2`)
}

func indexTwice(v *vector) {
	v.breaks("index-json", index, "b", "a tensor stands twice in the weight_map, and hash tables keep the last")
	v.shards()
	v.add(index, `{"metadata": {"total_size": 32}, "weight_map": {"a": "`+one+`", "b": "`+one+`", "b": "`+two+`"}}`)
	v.faultAt(`"b": "` + two + `"`)
}

func indexPointer(v *vector) {
	v.breaks("index-json", index, "", "the index is a Git LFS pointer")
	v.shards()
	v.add(index, "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0", 64)+"\nsize 512\n")
}

// indexPath returns the vector of a shard that must not be opened.
func indexPath(path string) func(*vector) {
	return indexPathOther(path, "the name of a shard leads out of the folder, on some system at least")
}

// indexPathOther returns that of a name that is refused for another reason.
func indexPathOther(path, comment string) func(*vector) {
	return func(v *vector) {
		v.breaks("index-path", path, "b", comment)
		v.shard(one, f32("a", 1))
		v.index(map[string]string{"a": one, "b": path}, 32)
		v.faultAt(fmt.Sprintf(`"b": %q`, path))
	}
}

func shardMissing(v *vector) {
	v.breaks("shard-missing", two, "b", "a shard of the index is not there")
	v.shard(one, f32("a", 1))
	v.index(map[string]string{"a": one, "b": two, "c": two}, 48)
	v.faultAt(`"b": "` + two + `"`)
}

func shardMissingByNumber(v *vector) {
	v.breaks("shard-missing", "model-00002-of-00003.safetensors", "", "the numbers of the others imply a shard")
	v.shard("model-00001-of-00003.safetensors", f32("a", 1))
	v.shard("model-00003-of-00003.safetensors", f32("c", 3))
}

func shardMissingZeroBased(v *vector) {
	v.breaks("shard-missing", "model-00001-of-00002.safetensors", "", "a shard is missing from numbers that begin at 0")
	v.shard("model-00000-of-00002.safetensors", f32("a", 1))
}

func shardMissingStaleIndex(v *vector) {
	v.breaks("shard-missing", one, "a", "the index is left over from before the shards were merged")
	v.sets = "1 1"
	v.shard("model.safetensors", f32("a", 1), f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func indexStale(v *vector) {
	v.breaks("index-stale", one, "a", "the index is of the model from which this one was quantized")
	v.sets = "1 1"
	v.shard("output.safetensors", f32("a", 1), f32("b.qweight", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func shardExtra(v *vector) {
	v.breaks("shard-extra", "model-00003-of-00003.safetensors", "", "a shard is left over from an earlier version")
	v.sets = "2 1"
	v.pair()
	v.shard("model-00003-of-00003.safetensors", f32("z", 9))
}

func tensorMissing(v *vector) {
	v.breaks("tensor-missing", two, "c", "a tensor of the index is in no shard")
	v.shards()
	v.index(map[string]string{"a": one, "b": two, "c": two}, 48)
	v.faultAt(`"c": "` + two + `"`)
}

func tensorMisplaced(v *vector) {
	v.breaks("tensor-misplaced", two, "c", "a tensor is in another shard than the index says")
	v.shard(one, f32("a", 1))
	v.shard(two, f32("b", 2), f32("c", 3))
	v.index(map[string]string{"a": one, "b": two, "c": one}, 48)
	v.faultAt(`"c": "` + one + `"`)
}

func tensorUnlisted(v *vector) {
	v.breaks("tensor-unlisted", two, "c", "a tensor is in a shard and not in the index")
	v.shard(one, f32("a", 1))
	v.shard(two, f32("b", 2), f32("c", 3))
	v.index(map[string]string{"a": one, "b": two}, 32)
}

func tensorConflictBytes(v *vector) {
	v.breaks("tensor-conflict", two, "a", "a tensor is in two shards with different bytes")
	v.shard(one, f32("a", 1))
	v.shard(two, f32("a", 9), f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func tensorConflictDtype(v *vector) {
	v.breaks("tensor-conflict", two, "a", "a tensor is in two shards with different dtypes")
	v.shard(one, f32("a", 1))
	v.shard(two, tensor{"a", "I32", "[4]", 16, 1}, f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func tensorConflictShape(v *vector) {
	v.breaks("tensor-conflict", two, "a", "a tensor is in two shards with different shapes of one size")
	v.shard(one, f32("a", 1))
	v.shard(two, tensor{"a", "F32", "[2, 2]", 16, 1}, f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func tensorConflictNoIndex(v *vector) {
	v.breaks("tensor-conflict", two, "a", "without an index, nothing says which of the two is meant")
	v.shard(one, f32("a", 1))
	v.shard(two, f32("a", 9), f32("b", 2))
}

func tensorTwice(v *vector) {
	v.breaks("tensor-twice", two, "a", "a tensor is in two shards with the same bytes")
	v.shard(one, f32("a", 1))
	v.shard(two, f32("a", 1), f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 32)
	v.faultAt(`"a": "` + one + `"`)
}

func totalSize(v *vector) {
	v.breaks("total-size", index, "", "the total size is the number of elements, not that of bytes")
	v.shards()
	v.index(map[string]string{"a": one, "b": two}, 8)
	v.faultAt(`"total_size": 8`)
}

func twoCopiesPrecision(v *vector) {
	v.breaks("two-copies", "model.fp16.safetensors", "", "the model in another precision")
	v.sets = "2 1"
	v.shard("model.safetensors", f32("a", 1), f32("b", 2))
	v.shard("model.fp16.safetensors", tensor{"a", "F16", "[4]", 8, 1}, tensor{"b", "F16", "[4]", 8, 2})
}

func twoCopiesPrecisionIndex(v *vector) {
	const shard, file = "model.fp16-00001-of-00001.safetensors", "model.safetensors.index.fp16.json"
	v.breaks("two-copies", file, "", "the model in another precision, with an index of its own")
	v.sets = "2 1"
	v.pair()
	v.shard(shard, tensor{"a", "F16", "[4]", 8, 1}, tensor{"b", "F16", "[4]", 8, 2})
	v.add(file, fmt.Sprintf(`{"metadata": {"total_size": 16}, "weight_map": {"a": %q, "b": %q}}`, shard, shard))
}

func twoCopiesEqualBytes(v *vector) {
	v.breaks("two-copies", "step-200.safetensors", "", "a file that is equal to another byte for byte, whatever it is called")
	v.sets = "2 1"
	v.shard("step-100.safetensors", f32("a", 1), f32("b", 2))
	v.shard("step-200.safetensors", f32("a", 1), f32("b", 2))
}

func twoCopiesWhole(v *vector) {
	v.breaks("two-copies", "model.safetensors", "", "the model in one file beside its shards and their index")
	v.sets = "2 1"
	v.pair()
	v.shard("model.safetensors", f32("a", 1), f32("b", 2))
}

func twoCopiesConsolidated(v *vector) {
	v.breaks("two-copies", "consolidated.safetensors", "", "the model under other names, as Mistral publishes it")
	v.sets = "2 1"
	v.pair()
	v.shard("consolidated.safetensors", f32("tok_embeddings.weight", 1), f32("norm.weight", 2))
}

func twoCopiesOriginal(v *vector) {
	v.breaks("two-copies", "original/model.safetensors", "", "the model under other names, in a folder beside it")
	v.sets = "2 1"
	v.pair()
	v.shard("original/model.safetensors", f32("tok_embeddings.weight", 1), f32("norm.weight", 2))
}

func shardIsPointer(v *vector) {
	v.breaks("not-safetensors", two, "", "a shard is a Git LFS pointer; its tensors are not reported missing, too")
	v.shard(one, f32("a", 1))
	v.add(two, "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0", 64)+"\nsize 96\n")
	v.index(map[string]string{"a": one, "b": two}, 32)
}

func shardIsPage(v *vector) {
	v.breaks("not-safetensors", two, "", "a shard is the page of a login")
	v.shard(one, f32("a", 1))
	v.add(two, "<!DOCTYPE html>\n<html><body>Log in to continue</body></html>\n")
	v.index(map[string]string{"a": one, "b": two}, 32)
}

func shardIsCutOff(v *vector) {
	v.breaks("truncated", two, "b", "a shard is cut off in its last tensor")
	v.pair()
	v.files[two] = v.files[two][:len(v.files[two])-4]
}
