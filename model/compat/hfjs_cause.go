// hf.js: why its number differs, with a sentence for each reason.

package compat

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// cause returns why hf.js counts another number of parameters for a tensor.
func (h *hfjs) cause(ti *safetensors.TensorInfo, v *model.TensorCount, theirs float64) string {
	switch v.Rule {
	case model.RuleBookkeeping, model.RuleScaleDtype:
		if h.factor(ti) > 1 {
			return "It treats integer bookkeeping as packed values."
		}
		return "It counts scales, zero points and other bookkeeping of packed weights that it does not recognize."
	case model.RuleBuffer, model.RuleMask, model.RuleIndex:
		return "It counts buffers, masks and indices."
	case model.RulePlain:
		switch {
		case len(ti.Shape) == 0:
			return "It skips scalars."
		case theirs == 0:
			return "It skips parameters whose names look like scales."
		}
		return "It treats parameters as packed values because of their dtype."
	case model.RuleUnreadable:
		return "It counts tensors with more than 2^63-1 elements."
	case model.RuleUnknown:
		return "The packing is unknown, and our number is the upper bound."
	}
	switch {
	case theirs == 0:
		return "It skips weights because of their dtype or name."
	case h.factor(ti) == 1:
		return "It counts an element of a weight packed by " + v.Scheme + " as one parameter."
	case v.Rule == "int-words" && theirs < float64(v.Params.High) && h.config.bits == float64(v.Bits):
		return "It counts floor(32 / bits) values per word, which is 10 for 3 bits, but 32 values fill three words."
	case v.Rule == "int-words" && ti.Dtype.Bits() != 32:
		return "It treats every word as one of 32 bits."
	case v.Rule == "int-words", v.Rule == "mlx":
		return "It uses the width in the configuration, but modules have other widths."
	case v.Rule == "packed-int" && v.Params.Exact():
		return "It treats the last word of each row as full."
	}
	return "It counts another number of values per element than the shapes prove."
}
