// The package's documentation.

// Package diff compares two checkpoints, tensor by tensor: first names, dtypes and shapes, then
// bytes, and optionally values.
//
//	for c, err := range diff.Checkpoints(ctx, a, b) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(c.Kind, c.Name)
//	}
//
// Sharding, the order of tensors, and metadata are ignored. Renamed tensors are detected by their
// bytes.
//
// Names, dtypes and shapes are in headers. Bytes are read for tensors that both sides have with
// the same dtype and shape, up to the first difference. They are also read for tensors that only
// one side has if the other side has some with the same dtype and shape, because these may have
// been renamed. Several tensors are read concurrently, with buffers of a MiB on each side.
//
// A [Differ] that compares values reads all tensors that differ, also those with another dtype.
// This shows how far weights have changed by a cast or by further training.
package diff
