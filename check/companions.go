// Companions: whether each packed weight has the tensors that are needed to unpack it.

package check

import (
	"github.com/weightools/safetensors/check/internal/packing"
	"github.com/weightools/safetensors/internal/parts"
)

// packed are the packed weights of a set.
type packed struct{ packing.Weights }

// get returns the tensor of a module with the given role, or the zero end if there is none.
func (p *packed) get(m *packing.Module, want parts.Role) end {
	info, shard := p.Get(m, want)
	return end{info, shard}
}

func (p *packed) judge(m *subject) {
	if len(p.Modules) == 0 {
		return
	}
	if m.complete && !m.single {
		for i := range packing.Needs {
			p.judgeNeed(m, &packing.Needs[i])
		}
		p.judgeOrphans(m)
	}
	p.judgeShapes(m)
}

// A kind is what weights have in common by whose companions one is judged: nothing, or their place in a layer.
type kind struct{ stack, rest string }

// A census counts the weights of one kind.
type census struct {
	with int
	lack tally
}

// judgeNeed reports weights without a companion that others like them have. At least four of five must have
// it; otherwise it is optional.
func (p *packed) judgeNeed(m *subject, n *packing.Need) {
	const times = 4 // weights with it for each without
	kinds := make(map[kind]*census)
	var all tally
	with, always := 0, n.Always && m.Method == "compressed-tensors"
	for i := range p.Modules {
		one := &p.Modules[i]
		if !n.IsFor(one) {
			continue
		}
		var k kind
		if n.Peers {
			at := parse(one.Name)
			k = kind{at.stack, at.rest}
			if at.layer < 0 {
				k.rest = one.Name // no peers
			}
		}
		c := kinds[k]
		if c == nil {
			c = new(census)
			kinds[k] = c
		}
		if n.IsMet(one) {
			c.with++
			continue
		}
		weight := p.get(one, n.Weight)
		c.lack.Add(weight.info, weight.shard)
	}
	for _, c := range kinds {
		if c.lack.N > 0 && (always || c.with >= times*c.lack.N) {
			all.Join(&c.lack)
			with += c.with
		}
	}
	also := ""
	if with > 0 {
		also = ", which " + count(with, "similar tensor") + " have"
	}
	m.Report(RuleQuantCompanion, &all, "is packed, but lacks its", "are packed, but lack their", "%s%s", n.Missing(), also)
}

// judgeOrphans reports companions without a weight, where one is certainly missing.
func (p *packed) judgeOrphans(m *subject) {
	var orphans tally
	for i := range p.Modules {
		one := &p.Modules[i]
		if one.Have&parts.Holders != 0 {
			continue
		}
		var companion end
		switch {
		case one.Have.Has(parts.Scales) && one.Have.Has(parts.Zeros):
			companion = p.get(one, parts.Zeros)
		case one.Have.Has(parts.Scale) && one.Have.Has(parts.ShapeOf):
			companion = p.get(one, parts.ShapeOf)
		default:
			continue
		}
		orphans.Add(companion.info, companion.shard)
	}
	m.Report(RuleQuantCompanion, &orphans, "belongs to a packed weight that is", "belong to packed weights that are",
		"missing")
}
