// Package dcp reads the checkpoints that torch.distributed.checkpoint writes, without PyTorch and without running them.
//
// Such a checkpoint is a folder. Each process of a training run writes files such as __0_0.distcp, which contain one
// archive for each value. The file .metadata is a pickle. It has the names, dtypes and shapes of the tensors, and lists
// the saved chunks of each tensor, with file, offset and length.
//
// The tensors are lazy: a read opens the archives of the chunks that it needs. The package reports missing data: it
// checks that the chunks cover each tensor exactly once, and that the files have all bytes that the metadata refers to.
package dcp
