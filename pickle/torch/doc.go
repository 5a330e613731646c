// Package torch reads the tensors of PyTorch checkpoints, without PyTorch and without running the checkpoint.
//
// A checkpoint is a pickle, a program for Python's loader, together with the data of its tensors. Package pickle
// converts it to a graph of inert values. This package looks in the graph for calls of the few functions that rebuild
// tensors, and takes the storage, offset, shape and strides from their arguments. It ignores the rest of the program.
//
//	cp, err := torch.Open(file, size, nil)
//	if err != nil {
//		return err
//	}
//	for _, s := range cp.Skipped {
//		fmt.Println(s.Path, s.What)
//	}
//	err = safetensors.WriteFile("model.safetensors", cp.Tensors...)
//
// # Supported formats
//
// The package reads archives written by torch.save since version 1.6 and by TorchScript, streams written by versions
// since 0.2, tar files of version 0.1, pickles of state dicts without a container, and NumPy archives (.npz). It
// detects the format by content, not by name.
//
// # Selection and names of tensors
//
// A checkpoint is a tree of saved values. Its root is the part with the weights: the value of "state_dict", "model" or
// a few other keys, or the top if that contains tensors itself; Options can select another root. The name of a tensor
// is its dotted path from the root. For torch.nn modules, parameters and buffers have the names that state_dict uses.
// Everything that is not among Tensors is listed in Skipped.
//
// # Guarantees
//
// Tensors have the bytes that PyTorch would have in memory on a little-endian machine, contiguous, regardless of
// strides, byte order and compression in the file. Tensors are lazy and read the file in parts. Open rejects ambiguous
// files, and tensors that exceed their storage or are far larger than it. No input makes a function panic or allocate
// memory in proportion to a claimed size. All functions are safe for concurrent use.
//
// Open never runs code. Package scan reports whether loading a file with PyTorch would.
package torch
