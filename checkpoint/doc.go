// The package comment.

// Package checkpoint opens a model's weights, local or remote, in any number of files, as
// one set of named tensors.
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
// # Sets
//
// A checkpoint is one file; an index, "*.safetensors.index.json", with the shards that it
// names; or, without an index, the ".safetensors" files of a folder.
//
// A folder often has more than one: the same weights in another precision
// (model.fp16.safetensors) or under other names (consolidated.safetensors, original/), an
// adapter, files of an earlier version, the parts of a pipeline in their folders (unet/,
// vae/), or the steps of a training run. [Discover] sorts them into sets, and reports
// whether each [Set] counts as a model:
//
//   - An index makes a set of the shards that it names, and that set is a model. If all its
//     shards are missing and other weights exist, the index is left over. A file that the
//     index of its folder does not name is not a model.
//   - Without an index, numbered files (model-00001-of-00004.safetensors) are one set, and
//     so are files that have no tensor in common. If files share tensors, each is a model.
//   - Folders below contain models, or parts of one, if the folder itself has no weights, or
//     if its model_index.json names them. Otherwise they contain copies, adapters or other
//     sets, which do not count.
//
// # Copies
//
// Two files with the same tensor names and shapes may be two models: the steps of a
// training run differ in every number. A set is a copy, and does not count, in one of these
// cases:
//
//   - Its name is another's with a variant, as diffusers and transformers write it: a
//     precision (model.fp16.safetensors and model.safetensors.index.fp16.json next to
//     model.safetensors), or ema and non_ema. At least nine in ten tensors agree by name
//     and shape.
//   - It is one file with the tensors of an index, model.safetensors next to
//     model.safetensors.index.json, and all tensors agree by name and shape.
//   - It is called consolidated, or is in a folder called original, next to an index or
//     model.safetensors, and the tensors agree, or have the same shapes under the names
//     that the model's authors use.
//   - It has the same bytes. Files are compared only if their sizes are equal: first a
//     small part of each, then all. Two names of one file are not read. With
//     [Options].HeadersOnly, only files that the store knows to be the same are copies.
//
// A set is compared by name with up to 16 others.
//
// A file whose header cannot be read is never a copy and never has one. Examples:
//
//	model-*-of-00002.safetensors, their index, consolidated.safetensors   a model, a copy
//	unet/: diffusion_pytorch_model.safetensors, and with .fp16            a model, a copy
//	model.safetensors, original/model.safetensors                         a model, a copy
//	model.safetensors, adapter_model.safetensors                          a model, an adapter
//	model.safetensors, model_ema.safetensors                              two models
//	step-100.safetensors, step-200.safetensors; epochs; LoRAs             a model for each
//	step-100/model.safetensors, step-200/model.safetensors                a model for each
//	model.safetensors, checkpoint-100/model.safetensors                   a model, another set
//
// Names that begin with a dot are ignored. [Open] opens the model if there is exactly one.
//
// # Other formats
//
// Files of other formats, such as PyTorch, are read through [Options].Formats. A file that
// the caller names is matched by its content. In a folder, such files are considered only
// if it has no safetensors files; see [Set.Unread].
//
// # Laziness
//
// Open reads the index, but no shard. In a folder without an index it reads headers, and
// compares the data of files that have the same size. A shard is opened when it is first
// needed, its header is read once, and it stays open until [Checkpoint.Close]. If the
// context of the goroutine that opens it ends, the next goroutine that needs it starts
// again. Several headers are read concurrently, and results are in the order of the shards,
// which is the same in every run.
//
// # Validation
//
// [Checkpoint.Validate] checks each shard against the rules of package safetensors, and the
// set against the rules of this package. Open succeeds even if the index or a shard is
// invalid, to validate it. Reading a tensor fails if it needs an invalid shard
// or index: [Checkpoint.Tensor] returns the violation as an error.
//
// An index may come from an untrusted source. Shard names that lead out of its folder, have
// an element that begins with a dot, or have another extension are reported and never
// opened. Memory grows with the size of files, not with what they claim; [Options] limits
// the size of an index and the number of its shards.
package checkpoint
