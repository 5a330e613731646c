// huggingface_hub: the product of every shape.

package compat

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// pythonHubVersion is the version whose rules are used: utils/_safetensors.py and the limit of
// constants.SAFETENSORS_MAX_HEADER_LENGTH, at ee0a451 of huggingface/huggingface_hub.
const pythonHubVersion = "1.29.0.dev0"

// A pythonHub counts elements. Python's integers are exact, and the doubles here are exact for any number of
// elements that fits in a file.
type pythonHub struct{ *model.Model }

func newPythonHub(m *model.Model) counter { return pythonHub{m} }

func (h pythonHub) refuses() string { return refusesHeaders(h.Files) }

// params is TensorInfo.parameter_count.
func (h pythonHub) params(ti *safetensors.TensorInfo, _ *model.TensorCount) float64 {
	if ti.Shape == nil {
		return 0
	}
	n := 1.0
	for _, d := range ti.Shape {
		n *= float64(uint64(d))
	}
	return n
}

func (h pythonHub) cause(_ *safetensors.TensorInfo, v *model.TensorCount, _ float64) string {
	switch v.Rule {
	case model.RuleBookkeeping, model.RuleScaleDtype:
		return "It counts scales, zero points and other bookkeeping of packed weights."
	case model.RuleBuffer, model.RuleMask, model.RuleIndex:
		return "It counts buffers, masks and indices."
	case model.RuleUnknown:
		return "It counts the elements of tensors that are packed in an unknown way."
	case model.RuleUnreadable:
		return "It counts tensors with more than 2^63-1 elements."
	}
	return "It counts the elements of packed weights instead of their values."
}
