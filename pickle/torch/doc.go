// What the package is for, and what it promises.

// Package torch gives the tensors of PyTorch's checkpoints, without PyTorch and
// without running what is in them.
//
// A checkpoint is a pickle, a program for Python's loader, beside which the numbers
// stand. Package pickle makes a graph of inert values of it, and this package looks
// in that for calls of the few functions that rebuild tensors: they name a storage, an
// offset, a shape and strides. Nothing else of the program matters.
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
// # What is read
//
// Archives as torch.save writes them since version 1.6, and those of TorchScript;
// streams, as versions from 0.2 on wrote them; the tar files of version 0.1; pickles of
// state dicts that are in no container; and NumPy's archives, ".npz". What a file is
// follows from its bytes and not from its name.
//
// # Which tensors, and what they are called
//
// A checkpoint is a tree of whatever was saved. The part of it that has the weights is
// its root: the value of "state_dict", "model" and a few more names, or all of it
// if the top has tensors itself; [Options] can say otherwise. The name of a tensor is its path from the
// root, with dots. Of objects that are modules of torch.nn, parameters and
// buffers have the names that state_dict gives them. Whatever is not among Tensors is
// among Skipped, so nothing is left out unsaid.
//
// # What is promised
//
// The bytes that PyTorch would have in memory on a little-endian machine,
// contiguous, whatever strides, byte order or compression they have in the file. Tensors
// are lazy, and read the file in parts. A file of which two readers may think
// differently is refused, and so is a tensor that leaves its storage, or that
// is far larger than it. No function panics on any input, or allocates what a file
// claims. All may be called concurrently.
//
// Whether loading a file with PyTorch would run code is for package scan to say. Open
// runs nothing in any case.
package torch
