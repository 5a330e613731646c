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
// a pipeline in folders of their own (unet/, vae/), the steps of a training.
// [Discover] sorts all of them into sets, and says of each [Set] whether it is to
// be counted:
//
//   - An index makes a set of the shards that it names, and that is a model. If
//     none of them is there, and other weights are, the index is taken to be left
//     over. A file beside an index that does not name it is no model.
//   - Without an index, numbered files (model-00001-of-00004.safetensors) are one
//     set. So are files of which no two have a tensor in common. Files that share
//     tensors cannot be one set of named tensors, so then each is a model.
//   - Sub-folders hold models, or the parts of one, if the folder itself has no
//     weights, or if it has a model_index.json that names them. Otherwise what
//     they hold is a copy, an adapter, or something else, and is not counted.
//
// # What is a copy
//
// Two files of the same tensor names and shapes may be two models: the steps of a
// training differ in every number. So that alone makes no copy. A set is taken
// for a copy, and not counted, by one of these:
//
//   - Its name is another's with a variant, as diffusers and transformers write
//     it: a precision (model.fp16.safetensors and
//     model.safetensors.index.fp16.json beside model.safetensors), or ema and
//     non_ema. At least nine in ten of the tensors agree by name and shape.
//   - It is the one file of what an index has in shards, model.safetensors beside
//     model.safetensors.index.json, and all tensors agree by name and shape.
//   - It is called consolidated, or lies in a folder called original, beside
//     an index or model.safetensors; and the tensors agree, or are of the same
//     shapes under the names that the model's makers use.
//   - It is the same byte for byte. Files are compared only if their sizes are
//     equal, and then a little of each first, and the rest only where that is equal,
//     too; two names of one file need no more. [Options].HeadersOnly forbids to read,
//     and so leaves only what the store knows to be one.
//
// By its name a set is compared with 16 others at most: no folder as published has
// as many of one name, and one that is made to have thousands would take hours.
//
// A file whose header cannot be read is never a copy, nor the original of one. So
// what is found in folders as they are published and trained is:
//
//	model-*-of-00002.safetensors, their index, consolidated.safetensors   a model, a copy
//	unet/: diffusion_pytorch_model.safetensors, and with .fp16            a model, a copy
//	model.safetensors, original/model.safetensors                         a model, a copy
//	model.safetensors, adapter_model.safetensors                          a model, an adapter
//	model.safetensors, model_ema.safetensors                              two models
//	step-100.safetensors, step-200.safetensors; epochs; LoRAs             as many models
//	step-100/model.safetensors, step-200/model.safetensors                as many models
//	model.safetensors, checkpoint-100/model.safetensors                   a model, and another set
//
// Whatever begins with a dot is passed over. [Open] opens what is to be counted,
// if that is one set, and refuses to choose among several.
//
// # Laziness
//
// Open reads the index, and no shard; but the headers of a folder's files where
// no index says what belongs together, and the data of those of one size: a little
// of each, and the rest where that is equal. A shard is opened when it is first asked
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
// below the index, that has an element with a dot before it, or that does not end
// in ".safetensors", is reported and never opened. Memory is taken for what files
// hold; the size of an index and the number of its shards are bounded, by
// [Options].
package checkpoint
