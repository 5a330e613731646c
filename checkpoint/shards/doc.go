// Package shards writes checkpoints: new ones from tensors, and existing ones as one
// file, as shards of a maximum size, or in part.
//
//	cp, err := checkpoint.Open(ctx, "models/llama", nil)
//	if err != nil {
//		return err
//	}
//	defer cp.Close()
//	plan, err := shards.Split(ctx, "out", &shards.RewriteOptions{MaxShard: 5e9, Verify: true}, cp)
//	if err != nil {
//		return err
//	}
//	receipt, err := plan.Write(ctx)
//
// [Merge], [Split] and [Writer.Plan] return a [Plan], which can be printed as a dry run.
// [Plan.Write] writes all files or none: all are complete, on disk, and verified if the
// options say so, before the first one is renamed into place. The [Receipt] lists the
// files, and for each tensor how it was verified and its digest.
//
// Inputs may be in any format that the checkpoint was opened with. The output is in
// safetensors format, byte for byte what the reference implementation and the library
// huggingface_hub write.
package shards
