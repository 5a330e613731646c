// Weights that were saved without their values.

package parts

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// UngatheredFix is the advice for weights that were saved without their values.
const UngatheredFix = "Save the model again with gathered weights: set stage3_gather_16bit_weights_on_model_save or " +
	"use zero_to_fp32.py."

// isUngathered reports whether a tensor is what DeepSpeed ZeRO-3 saves for a weight whose values are on
// several processes: a float of shape [0].
func isUngathered(ti *safetensors.TensorInfo) bool {
	return len(ti.Shape) == 1 && ti.Shape[0] == 0 && Last(ti.Name) == "weight" && KindOf(ti.Dtype) == Float
}

// Ungathered says which of so many tensors are ungathered, in words, and returns the first; nil if none is.
func Ungathered(all int, at func(i int) *safetensors.TensorInfo) (first *safetensors.TensorInfo, words string) {
	n := 0
	for i := range all {
		if ti := at(i); isUngathered(ti) {
			if n++; first == nil {
				first = ti
			}
		}
	}
	switch n {
	case 0:
		return nil, ""
	case 1:
		words = fmt.Sprintf("tensor %s is a weight", wording.Quote(first.Name))
	default:
		words = fmt.Sprintf("%s, the first %s, are weights", wording.Count(n, "tensor"), wording.Quote(first.Name))
	}
	return first, words + " of shape [0]: DeepSpeed ZeRO-3 saves this if weights are not gathered first"
}
