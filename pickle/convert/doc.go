// Package convert writes checkpoints of PyTorch and archives of NumPy as safetensors files,
// without PyTorch and without executing anything in them.
//
//	c := &convert.Conversion{}
//	plan, err := c.Plan(ctx, "pytorch_model.bin", "model.safetensors")
//	if err != nil {
//		return err
//	}
//	defer plan.Close()
//	return plan.Write(ctx)
//
// A source is a file, a folder of shards, or their index, such as
// "pytorch_model.bin.index.json". It may be remote. Shards stay shards. The output is
// written and verified by package shards, which can merge and split it, too.
//
// # Refused sources
//
// Package scan analyzes each file first. A file that is dangerous to load is refused, since
// the user may be about to load it; [Conversion.Anyway] converts it, and executes nothing in
// it. A suspicious file is converted, and the [Plan] has the verdict. Files that package
// torch refuses are refused: files that readers interpret differently, tensors that exceed
// their storage, two tensors of one name.
//
// # Tensors and values that are left out
//
// A tensor that safetensors cannot represent is an error, unless
// [Conversion.DropUnsupported] is set. Everything else that is left out, such as the state
// of an optimizer, is listed with its source. [torch.Options] can convert sparse and
// quantized tensors, and keep other values.
//
// # Verification
//
// The output is read again before it is renamed into place. If an archive stores a checksum
// for exactly the bytes of a tensor, the output must have it: that verifies the source and
// the copy at once, and the source is read once. Otherwise, as for a view, the checksums of
// the archive are verified before anything is written, and the copy is compared with the
// source byte by byte. Each [Tensor] has its proof. Memory grows with the number of tensors,
// and not with their sizes.
package convert
