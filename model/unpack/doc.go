// Package unpack computes the values of packed weights.
//
// A packed weight is several tensors: the packed values, their scales, and what else its scheme needs. [Of] finds the
// packed weights among the tensors of a checkpoint, and [Weight.Tensor] returns the values of one as a tensor of dtype
// F32 that is computed when it is read:
//
//	weights := unpack.Of(&unpack.Source{Files: []unpack.File{{Tensors: tensors}}, Beside: beside})
//	if w := weights.Of("model.layers.0.mlp.up_proj.weight"); w != nil {
//		t, err := w.Tensor() // sliceable, like any other tensor
//	}
//
// A tensor that is computed reads only what a read needs, in bounded memory, and may be read by several goroutines at
// once if its parts may. Its values are those that the program which defines the scheme computes in float32, bit for bit.
//
// A weight is never guessed: if its scheme has no decoder, if the shapes of its parts do not prove what they are, or if it
// has a part whose meaning is unknown, it stays packed, and the error of Tensor says why.
package unpack
