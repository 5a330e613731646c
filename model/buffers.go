// Buffers: stored tensors that are not trained.

package model

import (
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
)

// countUnknown counts integers that are packed in an unknown way: at most one parameter for each bit, and
// at least one for each element of a tensor that is called a weight.
func (e *entry) countUnknown() {
	e.Rule, e.Why = RuleUnknown, "the integers are packed in an unknown way"
	if isWeight(e.Info.Name) {
		e.Params.Low = e.NumElems()
	}
	e.Params.High = clamp.Mul(e.NumElems(), int64(e.Info.Dtype.Bits()))
}

// countUnclaimed counts a tensor beside a packed weight that no scheme knows: it is a parameter, or tells how the
// weight is packed. A single number is not a parameter.
func (e *entry) countUnclaimed() {
	if e.NumElems() <= 1 {
		e.Rule = RuleBookkeeping
		return
	}
	e.Rule, e.Why = RuleUnclaimed, "it is a parameter, or a part of a packed weight that no scheme knows"
	e.Params.High = e.NumElems()
}

// isWeight reports whether a tensor is called a weight.
func isWeight(name string) bool { return strings.HasSuffix(name, "weight") }

// isMask reports whether a tensor is a causal mask as stored by GPT-2 and similar models.
func isMask(ti *safetensors.TensorInfo) bool {
	s := ti.Shape
	return len(s) == 4 && s[0] == 1 && s[1] == 1 && s[2] == s[3] && s[2] > 1 && strings.HasSuffix(ti.Name, ".bias")
}
