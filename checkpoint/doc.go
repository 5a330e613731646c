// What a checkpoint is, how to open one, and what is promised.

// Package checkpoint opens a model's weights wherever they are, in however many
// files, as one set of named tensors.
//
//	cp, err := checkpoint.Open(ctx, "models/llama/", nil)
//	if err != nil {
//		return err
//	}
//	defer cp.Close()
//	for t, err := range cp.Tensors(ctx) {
//		...
//	}
//
// # What is a checkpoint
//
// A checkpoint is one file; or an index, "*.safetensors.index.json", and the
// shards that it names; or, where there is no index, the ".safetensors" files of
// a folder.
//
// A folder often holds more than one: the same weights in another precision
// (model.fp16.safetensors) or under other names (consolidated.safetensors,
// original/), an adapter, files left over from an earlier version, the parts of
// a pipeline in folders of their own (unet/, vae/). [Discover] sorts all of them
// into sets, and says of each [Set] whether it is to be counted. It goes by the
// indexes and by what the headers say; names only decide which of two copies
// comes first, and where to look for one:
//
//   - An index makes a set of the shards that it names. If none of them is
//     there, and other weights are, the index is taken to be left over.
//   - Without an index, numbered files (model-00001-of-00004.safetensors) are one
//     set. So are files of which no two have a tensor in common. Files that share
//     tensors cannot be one set of named tensors, so then each is its own.
//   - What has the same tensors as a set, by name and shape, is a copy of it.
//     So is what has tensors of the same shapes under other names, if it is called
//     consolidated or lies in a folder called original.
//   - Sub-folders hold parts of the model if the folder itself has no weights,
//     or if it has a model_index.json that names them. Otherwise what they hold
//     is a copy, an adapter, or something else, and is not counted.
//
// Whatever begins with a dot is passed over. [Open] opens what is to be counted,
// if that is one set.
//
// # Laziness
//
// Open reads the index, and no shard; but the headers of a folder's files where
// no index says what belongs together. A shard is opened when it is first asked
// for, its header is read once, and it stays open until [Checkpoint.Close]. What
// one goroutine's context has cut short is begun again for the next.
// Where many headers are needed, several are read at once, and the results come
// in the order of the shards: the same on every run.
//
// # Checking
//
// Opening succeeds if there is something to judge. [Checkpoint.Validate] judges
// each shard by the rules of package safetensors, and the set by those between
// files. Reading insists on what it needs: [Checkpoint.Tensor] returns the
// violation of a broken index or shard as an error.
//
// Names out of an index come from strangers. A shard's name that does not stay
// below the index is reported, and never opened. Memory is taken for what files
// hold; the size of an index and the number of its shards are bounded, by
// [Options].
package checkpoint
