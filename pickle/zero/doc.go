// Package zero reads the checkpoints that DeepSpeed saves while it trains with ZeRO, without DeepSpeed and without
// running them.
//
// ZeRO divides the weights in float32, and the state of the optimizer, among the processes of a training. Each process
// saves its part as flat arrays in a file of its own, and the first file of the model records the names and shapes. The
// package joins the parts when they are read, as the script zero_to_fp32.py of DeepSpeed does. It needs memory for
// names, not for values.
//
//	opts := checkpoint.Options{Formats: []checkpoint.Format{zero.Format(zero.Options{}), torch.PyTorch(nil)}}
//
// # Files
//
// A folder such as global_step100 has these files; "bf16_" is missing in some.
//
//	mp_rank_00_model_states.pt                        stages 1 and 2: names, shapes, buffers
//	zero_pp_rank_0_mp_rank_00_model_states.pt         stage 3: the same, and the part of process 0 of frozen weights
//	bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt    the part of process 0 of weights and optimizer state
//	zero/model.norm.weight/fp32.pt                    one weight of a universal checkpoint, made by ds_to_universal
//
// # Tensors
//
// Trained weights have the dtype of the optimizer's copy, usually F32. Buffers of float dtypes are converted to F32.
// Frozen weights keep their dtype. A tied weight is a tensor of the same values under each of its names. A weight
// that only the file of the model has is taken from there: stage 1 does not record frozen weights.
//
// Padding between and behind the parts is left out. Parts that are missing, or have other lengths than the shapes need,
// are errors: a model is read completely or not at all.
package zero
