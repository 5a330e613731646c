// Package model counts the parameters of models and describes their architecture.
//
// The elements of a file are not the parameters of a model. An element of a quantized weight holds several
// values, and scales are not parameters. Buffers are not trained. An output layer may be the
// embedding, stored twice. So there are three numbers, and [Count] returns all of them:
//
//   - stored elements: the product of the shape, added up over all tensors;
//   - logical parameters: the values that the stored tensors represent;
//   - unique logical parameters: the same without duplicates.
//
// Counting needs only headers:
//
//	n := model.Count(&model.Model{Files: []model.File{{Header: h}}, Config: config})
//	fmt.Println(n.Params.Low, n.Params.High, n.Scheme)
//
// # Accuracy
//
// For most quantization schemes the shapes determine the number of values. Some schemes store it in a tensor of a
// few bytes, which is read if the File has Data. Otherwise, and for unknown schemes, the number is a range with a
// lower and an upper bound, and a [Group] says why. Counts are never guesses. The configuration is used where
// shapes are not enough; a note is added where they contradict each other.
//
// Each tensor is counted by one [Rule], and belongs to one [Group] of tensors that were counted alike; see
// [Rules] and docs/counting.md. RulesVersion changes when a rule does.
//
// # Facts
//
// [FactsOf] describes the architecture and its sizes, and the rank, alpha and base model of an adapter. Each
// fact has a [Source].
//
// Package model/compat counts as other programs do, and explains the differences.
//
// # Untrusted input
//
// Names, shapes and configurations are untrusted. Nothing panics, sums that overflow become 2^63-1, and memory
// is proportional to the headers. Configurations are read up to [MaxConfig] bytes each, and data up to 16 MiB.
package model

//go:generate go test -run ^TestCountingDoc$ -update .
