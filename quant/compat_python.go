// huggingface_hub: the product of every shape.

package quant

import "github.com/weightools/safetensors/internal/wording"

// pythonHubVersion is the version whose rules these are: utils/_safetensors.py, and
// the limit of constants.SAFETENSORS_MAX_HEADER_LENGTH, at ee0a451 of
// huggingface/huggingface_hub.
const pythonHubVersion = "1.29.0.dev0"

// mostHubHeader is the largest header, in bytes, that the libraries of Hugging Face read.
const mostHubHeader = 25_000_000

// A pythonHub counts elements. Python has no largest integer, so neither is there
// a limit, but ours.
type pythonHub struct{ *counter }

func newPythonHub(c *counter) compatible { return pythonHub{c} }

func (h pythonHub) refuses() string { return refusesHeaders(h.files) }

// refusesHeaders says which header is too large, or "".
func refusesHeaders(files []File) string {
	for i := range files {
		if n := files[i].Header.Size; n > mostHubHeader {
			return "the header of file " + wording.Grouped(i+1).String() + " takes " + wording.Count(n, "byte") + ", more than 25,000,000"
		}
	}
	return ""
}

func (h pythonHub) params(e *entry) float64 {
	if e.rule == RuleUnreadable {
		return 0
	}
	return float64(e.stored())
}

func (h pythonHub) cause(e *entry, _ float64) string {
	switch e.rule {
	case RuleBookkeeping, RuleScaleDtype:
		return "It counts scales, zero points and other bookkeeping of packed weights."
	case RuleBuffer, RuleMask, RuleIndex:
		return "It counts buffers, masks and indices."
	case RuleUnknown:
		return "It counts the elements of what is packed in an unknown way."
	}
	return "It counts the elements of packed weights, and not the values in them."
}
