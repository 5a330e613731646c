// Package names knows how architectures spell the names of their tensors.
//
// A table lists, for each architecture of transformers and diffusers, which tensors a model has, which of them it must
// have, and how other programs spell the same names: the original repositories, MLX, llama.cpp, ComfyUI and more.
// [Recognize] compares the names of a checkpoint with all of these:
//
//	r := names.Recognize(slices.Values(list))
//	if fit, ok := r.Best(); ok {
//		fmt.Println(fit.Architecture.Type, fit.Form, fit.Extra, fit.Lacks, fit.Missing)
//	}
//
// [Find] returns an architecture by its model_type or class, and [Architecture.Spelling] how a form spells its names.
//
// The tables are text files in the folder data, which are parsed at first use. docs/names.md lists what they cover. A
// test of the program .ci/interop/names compares them with the packages whose names they list.
package names

//go:generate go test -run ^TestNamesDoc$ -update .
