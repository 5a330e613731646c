// What is counted, how exactly, and by which rules.

// Package model counts the parameters that packed weights stand for.
//
// The elements of a file are not the parameters of a model. A quantized weight has
// several values in each element, and scales beside it that are no parameters; a
// buffer is not trained; an output layer may be the embedding once more. So there
// are three numbers, and this package gives all of them:
//
//   - stored elements: the product of the shape, added up over all tensors;
//   - logical parameters: the values that the stored tensors stand for;
//   - unique logical parameters: the same, but what is stored twice counted once.
//
// A count takes headers alone:
//
//	n := model.Count(&model.Model{Files: []model.File{{Header: h}}, Config: config})
//	fmt.Println(n.Params.Low, n.Params.High, n.Scheme)
//
// # How exactly
//
// Most schemes prove the number of values by their shapes. Some keep it in a tensor
// of a few bytes, which is read if a File has its Data; else the number is known within
// bounds, and so it is if a scheme is not known at all: then a Group says why. There
// is no guess. What a configuration says is used where shapes do not tell, and noted
// where they contradict it.
//
// # Rules
//
// What counts a tensor is a [Rule], one of a table; see [Rules] and docs/counting.md.
// Each tensor is in one [Group], which has its rule. RulesVersion changes when
// a rule does.
//
// Package model/compat counts as others do, and says why the numbers differ.
//
// # Trust
//
// Names, shapes and configurations are strangers'. Nothing panics, sums that do not fit
// are 2^63-1, and memory is taken in proportion to the headers. A configuration is
// read up to [MaxConfig] bytes, and data up to 16 MiB.
package model
