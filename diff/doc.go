// The package's promise: what is compared, in which order, and at what cost.

// Package diff tells two checkpoints apart, tensor by tensor, by their names: first by
// structure, then by bytes, and if asked for by values.
//
//	for c, err := range diff.Checkpoints(ctx, a, b) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(c.Kind, c.Name)
//	}
//
// How tensors are spread over files does not matter, nor does their order, nor what
// metadata says. A tensor that was renamed is found by its bytes.
//
// Structure is in headers. Bytes are read of tensors that have one name, dtype and
// shape, up to the first that differs, and of tensors that only one side has, where the
// other has some of the same dtype and shape: these may have been renamed. Of tensors
// in different files several are read at once, a MiB of each side, whatever their sizes.
//
// A [Differ] that compares values reads all of the tensors that differ, and of those of
// another dtype, too: whether weights that were cast, or trained a little further,
// are still near to what they were.
package diff
