// Package zero reads the checkpoints that DeepSpeed saves while it trains with ZeRO, without DeepSpeed and without
// running them.
//
// ZeRO divides the float32 weights and the optimizer state among the processes of a training run. Each process saves
// its part as flat arrays in a separate file, and the first file of the model records the names and shapes. The package
// joins the parts when they are read, with the same result as DeepSpeed's script zero_to_fp32.py. It keeps only names
// and shapes in memory, not values.
//
//	opts := checkpoint.Options{Formats: []checkpoint.Format{zero.Format(zero.Options{}), torch.PyTorch(nil)}}
//
// # Files
//
// A folder such as global_step100 has these files. The prefix "bf16_" is optional.
//
//	mp_rank_00_model_states.pt                        stages 1 and 2: names, shapes, buffers
//	zero_pp_rank_0_mp_rank_00_model_states.pt         stage 3: the same, and the part of process 0 of frozen weights
//	bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt    the part of process 0 of weights and optimizer state
//	zero/model.norm.weight/fp32.pt                    one weight of a universal checkpoint, made by ds_to_universal
//
// # Tensors
//
// Trained weights have the dtype of the optimizer's copy, usually F32. Buffers of float dtypes are converted to F32.
// Frozen weights keep their dtype. A tied weight becomes a tensor under each of its names. Weights that only the model
// file has are taken from it, because stage 1 does not record frozen weights.
//
// Padding between and after the parts is removed. It is an error if a part is missing, or does not have the length that
// the shapes require: a model is read completely or not at all.
package zero
