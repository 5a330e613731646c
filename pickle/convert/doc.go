// What the package is for, and what it promises.

// Package convert makes safetensors files of PyTorch's checkpoints and of NumPy's
// archives, without PyTorch, and without running what is in them.
//
//	c := &convert.Conversion{}
//	plan, err := c.Plan(ctx, "pytorch_model.bin", "model.safetensors")
//	if err != nil {
//		return err
//	}
//	defer plan.Close()
//	return plan.Write(ctx)
//
// A source is a file, or a folder of shards with their index, as
// "pytorch_model.bin.index.json". Shards stay what they are.
//
// # What is refused
//
// Each file is judged by package scan before it is looked into. One that is dangerous to
// load is refused, for whoever converts it may be about to load it, too; [Conversion.Anyway]
// converts it, and runs nothing in it either. One that is suspicious is converted, and the
// [Plan] has the verdict. What package torch refuses is refused: files that readers take for
// different things, tensors that leave their storage, two tensors of one name.
//
// # Nothing is dropped unsaid
//
// A tensor for which the format has no form is an error, unless
// [Conversion.DropUnsupported] is set. What else is left out, such as the state of an
// optimizer, is listed with its source. [torch.Options] can give sparse and quantized
// tensors a form, and keep values that are no tensors.
//
// # Whole or absent
//
// What was written is read again before it has its name. A tensor that is a whole member of
// an archive has to have the checksum of that: it says that the source is what its writer
// left, and that the copy is the same, and the source is read once. Where there is no such
// checksum, as of a view, the checksums of the archive are compared before anything is
// written, and the copy is compared with the source byte by byte. Each [Tensor] has its
// [Proof]. Files appear as those of a [shards.Writer] do. Memory does not grow with
// tensors, but with their number.
package convert
