// Package fsdp reads models that are saved as one file for each process, such as model_world_size_8_rank_0.pt. verl and
// other programs that train with FSDP write such files.
//
// Each file has a state dict with distributed tensors (DTensor): the part that the process has, with the shape of the
// complete tensor and its placement on the mesh of processes. The package joins the parts of all files. Tensors that
// are not distributed are copies in all files.
package fsdp
