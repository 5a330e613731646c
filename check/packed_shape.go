// Shapes of packed weights, compared with the shapes of their companions and with the configuration.

package check

import (
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// mismatches are weights whose shapes do not fit, by what does not fit.
type mismatches map[string]*mismatch

// A mismatch is the weights with one kind of fault, and the details of the first.
type mismatch struct {
	tally
	detail string
}

// add counts a weight with a fault. The details of the first are kept.
func (all mismatches) add(f model.Finding, ti *safetensors.TensorInfo, shard int) {
	if f.Kind == "" {
		return
	}
	one := all[f.Kind]
	if one == nil {
		one = &mismatch{detail: f.Text}
		all[f.Kind] = one
	}
	one.tally.Add(ti, shard)
}

func (all mismatches) report(m *subject, rule safetensors.Rule) {
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		one := all[kind]
		m.Report(rule, &one.tally, "is packed:", "are packed: in the first,", "%s", one.detail)
	}
}

// judgeShapes reports the packed weights that package model cannot count because their shapes contradict each other or
// a companion is missing, and those that contradict the configuration.
func (p *packed) judgeShapes(m *subject) {
	faults, conflicts := make(mismatches), make(mismatches)
	lacks := make(map[string]*tally)
	judge := model.NewPacking(m.model())
	var tensors []*safetensors.TensorInfo
	for i := range p.Modules {
		one := &p.Modules[i]
		tensors = p.AppendTensors(tensors[:0], one)
		found := judge.Judge(one.Name, tensors)
		if found.Fault.Kind == "" && found.Conflict.Kind == "" && found.Lacks == "" {
			continue
		}
		shard := p.ShardOf(one, found.Tensor)
		faults.add(found.Fault, found.Tensor, shard)
		conflicts.add(found.Conflict, found.Tensor, shard)
		if found.Lacks != "" && m.complete && !m.single {
			if lacks[found.Lacks] == nil {
				lacks[found.Lacks] = new(tally)
			}
			lacks[found.Lacks].Add(found.Tensor, shard)
		}
	}
	for companion, t := range lacks {
		m.Report(RuleQuantCompanion, t, "is packed, but lacks its", "are packed, but lack their", "%s", companion)
	}
	faults.report(m, RuleQuantShape)
	conflicts.report(m, RuleQuantConfig)
}
