// Package dcp reads the checkpoints that torch.distributed.checkpoint writes, without PyTorch and without running them.
//
// Such a checkpoint is a folder. Each process of a training writes files named like __0_0.distcp, in which the values
// follow one another, each in an archive of its own. The file .metadata is a pickle. It has the names, dtypes and
// shapes of the tensors, and the boxes, or chunks, that were saved of each, with file, offset and length.
//
// The tensors are lazy: a read opens the archives of the chunks that it needs. The package checks that the chunks cover
// each tensor exactly once, and that the files have the bytes that the metadata refers to, so nothing is missing
// silently.
package dcp
