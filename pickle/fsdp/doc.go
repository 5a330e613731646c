// Package fsdp reads models that the processes of a training have saved each in a file of its own, such as
// model_world_size_8_rank_0.pt, as verl and other programs do with FSDP.
//
// Each file has a state dict with distributed tensors (DTensor): the part that the process has, with the shape of the
// whole tensor and how it is divided over the mesh of processes. The package joins the parts of all files. Tensors that
// are not distributed are copies in all files.
package fsdp
