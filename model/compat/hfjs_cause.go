// hf.js: why its number is not ours, in one sentence for each reason.

package compat

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// cause says why hf.js counts so many parameters of a tensor that has others.
func (h *hfjs) cause(ti *safetensors.TensorInfo, v *model.Verdict, theirs float64) string {
	switch v.Rule {
	case model.RuleBookkeeping, model.RuleScaleDtype:
		if h.factor(ti) > 1 {
			return "It takes bookkeeping that is kept in integers for packed values."
		}
		return "It counts scales, zero points and other bookkeeping of packed weights that it does not know."
	case model.RuleBuffer, model.RuleMask, model.RuleIndex:
		return "It counts buffers, masks and indices."
	case model.RulePlain:
		switch {
		case len(ti.Shape) == 0:
			return "It leaves out scalars."
		case theirs == 0:
			return "It leaves out parameters that are called as scales are."
		}
		return "It takes parameters for packed values, by their dtype."
	case model.RuleUnreadable:
		return "It counts tensors of more elements than 2^63-1."
	case model.RuleUnknown:
		return "It knows no more than we do how the rest is packed, and ours is the most that it can be."
	}
	switch {
	case theirs == 0:
		return "It leaves out weights, by their dtype or name."
	case h.factor(ti) == 1:
		return "It takes an element of a weight packed by " + v.Scheme + " for one parameter."
	case v.Rule == "int-words" && theirs < float64(v.Params.High) && h.config.bits == float64(v.Bits):
		return "It takes a word for floor(32 / bits) values, which for 3 bits is 10, but 32 values fill three words."
	case v.Rule == "int-words" && ti.Dtype.Bits() != 32:
		return "It takes every word for one of 32 bits."
	case v.Rule == "int-words", v.Rule == "mlx":
		return "It goes by the one width that the configuration says, and modules have others."
	case v.Rule == "packed-int" && v.Params.Exact():
		return "It takes the last word of each row for full."
	}
	return "It takes an element for another number of values than the shapes prove."
}
