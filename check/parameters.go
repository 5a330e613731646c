// total_parameters of packed sets.

package check

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
)

// counts counts the parameters of the set.
func (s *subject) counts() *model.Counts { return model.Count(s.model()) }

// packedFloats returns the tensors of floats that hold packed weights.
func (s *subject) packedFloats() map[*safetensors.TensorInfo]bool {
	const narrowest = 16 // bits; narrower floats are the weights themselves
	packed := make(map[*safetensors.TensorInfo]bool)
	for ti, v := range model.Judge(s.model()) {
		switch v.Rule {
		case model.RulePlain, model.RuleBookkeeping, model.RuleScaleDtype, model.RuleBuffer, model.RuleMask, model.RuleIndex:
		default:
			if ti.Dtype.Class() == safetensors.ClassFloat && ti.Dtype.Bits() >= narrowest {
				packed[ti] = true
			}
		}
	}
	return packed
}

// model returns the set as package model needs it.
func (s *subject) model() *model.Model {
	m := new(model.Model)
	if s.described {
		m.Config, m.Quantize, m.ModelOpt, m.Description = s.main.Text, s.quantize, s.modelOpt, s.description
	}
	for i := range s.shards {
		if h := s.shards[i].header; h != nil {
			m.Files = append(m.Files, model.File{Header: h})
		}
	}
	return m
}

// judgePackedParameters compares total_parameters of the index with what package model counts.
//
// When the library transformers saves a model, it writes the number of what the model calls its parameters,
// and that depends on the scheme: GPTQ has its words among the buffers, compressed-tensors has scales among
// the parameters, and for bitsandbytes the values are counted. Other programs keep the number of the original
// model. So the number is accepted if any of these choices results in it.
func (s *subject) judgePackedParameters(isTwice func(elems int64) bool) {
	n, total := s.counts(), s.index.TotalParameters
	if canMean(n, total, isTwice) {
		return
	}
	s.found(s.set.Index).Add(RuleTotalParameters, "", safetensors.Span{},
		"total_parameters is %v, but the tensors of the index stand for %s, packed in %s",
		wording.Grouped(total), between(n.Params), count(n.Stored, "element"))
}

// between words a number that may be inexact.
func between(r model.Range) string {
	if r.Exact() {
		return count(r.Low, "parameter")
	}
	return fmt.Sprintf("%v to %s", wording.Grouped(r.Low), count(r.High, "parameter"))
}

// canMean reports whether a program may have counted a total: the values of the weights, with or without
// duplicates, or the elements of tensors, in either case with or without scales and buffers, and with tied
// weights once or several times.
func canMean(n *model.Counts, total int64, isTwice func(elems int64) bool) bool {
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
	for _, r := range []model.Range{n.Params, n.Unique, {Low: plain, High: plain},
		{Low: plain + packed, High: plain + packed}} {
		for _, more := range []int64{0, books, buffers, books + buffers} {
			if n := total - more; r.Low <= n && n <= r.High || r.Exact() && isTwice(n-r.Low) {
				return true
			}
		}
	}
	return false
}
