// Package unpack computes the values of packed weights.
//
// A packed weight consists of several tensors: the packed values, their scales, and other tensors that its scheme
// needs. [Of] finds the packed weights among the tensors of a checkpoint. [Weight.Tensor] returns the values of a
// weight as a tensor of dtype F32, which is computed when it is read:
//
//	weights := unpack.Of(&unpack.Source{Files: []unpack.File{{Tensors: tensors}}, Beside: beside})
//	if w := weights.Of("model.layers.0.mlp.up_proj.weight"); w != nil {
//		t, err := w.Tensor() // sliceable, like any other tensor
//	}
//
// Each read of the tensor reads only the packed bytes that it needs, in bounded memory. The tensor is safe for
// concurrent reads if its parts are. Its values equal, bit for bit, what the program that defines the scheme computes
// in float32.
//
// Values are never guessed. A weight stays packed if its scheme has no decoder, if the shapes of its parts are
// ambiguous, or if it has a part whose meaning is unknown; the error of Tensor gives the reason.
package unpack
