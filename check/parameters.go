// Parameters of packed sets: whether the index declares a number that they can have.

package check

import (
	"fmt"
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
)

// packedParameters compares what the index of a packed set says of the number of
// parameters with what package model counts by the headers.
//
// The library transformers writes the number of what a model calls its parameters
// when it is saved. Which of the tensors those are is up to the scheme: GPTQ has its
// words among the buffers, compressed-tensors scales among the parameters, and of
// bitsandbytes the values are counted. Other programs leave the number of the model
// that was packed. So whatever some choice among these makes is right.
func (m *weights) packedParameters() {
	var counted model.Model
	if m.described {
		counted.Config = m.config.raw
		if c := m.configs[path.Join(folderOf(m.file()), "hf_quant_config.json")]; c != nil {
			counted.ModelOpt = c.raw
		}
	}
	for i := range m.shards {
		counted.Files = append(counted.Files, model.File{Header: m.shards[i].header})
	}
	n, told := model.Count(&counted), m.index.TotalParameters
	if canMean(n, told) {
		return
	}
	m.found(m.set.Index).Add(RuleTotalParameters, "", safetensors.Span{},
		"total_parameters is %v, and the tensors of the index stand for %s, packed in %s",
		wording.Grouped(told), between(n.Params), count(n.Stored, "element"))
}

// between words a number that may be known within bounds.
func between(r model.Range) string {
	if r.Exact() {
		return count(r.Low, "parameter")
	}
	return fmt.Sprintf("%v to %s", wording.Grouped(r.Low), count(r.High, "parameter"))
}

// canMean says whether a number is one that a writer may have counted: the values of
// the weights, each once or as often as it is stored, or what the tensors have of
// elements, in either case with or without scales and buffers.
func canMean(n *model.Counts, told int64) bool {
	var plain, packed, books, buffers int64
	for i := range n.Groups {
		switch g := &n.Groups[i]; g.Rule {
		case model.RulePlain:
			plain += g.Stored
		case model.RuleBookkeeping, model.RuleScaleDtype:
			books += g.Stored
		case model.RuleBuffer, model.RuleMask, model.RuleIndex:
			buffers += g.Stored
		default:
			packed += g.Stored
		}
	}
	for _, r := range []model.Range{n.Params, n.Unique, {Low: plain, High: plain}, {Low: plain + packed, High: plain + packed}} {
		for _, more := range []int64{0, books, buffers, books + buffers} {
			if n := told - more; r.Low <= n && n <= r.High {
				return true
			}
		}
	}
	return false
}
