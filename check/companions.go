// Companions: whether each packed weight has the tensors that are needed to unpack it.

package check

import (
	"cmp"
	"math/bits"

	"github.com/weightools/safetensors/internal/parts"
)

func (p *packed) judge(m *subject) {
	if len(p.modules) == 0 {
		return
	}
	if m.complete && !m.single {
		for i := range needs {
			p.judgeNeed(m, &needs[i])
		}
		p.judgeOrphans(m)
	}
	p.judgeShapes(m)
}

// A need says that a weight has one of some companions.
type need struct {
	weight parts.Role
	kind   parts.Kinds // of the weight
	with   parts.Set   // the need is for weights that have all of these
	unless parts.Set   // and none of these
	one    parts.Set   // at least one of these must be there
	name   parts.Role  // the one that is reported as missing; the first of one by default

	// Whether a companion should be there is decided by other weights: by all of the same kind, or if peers is
	// set, by the weights in the same place of other layers. Some programs leave a few weights unpacked, but not
	// in a single layer. If always is set, compressed-tensors in the configuration is enough.
	always, peers bool
}

const weight = parts.Weight // shortens the table

var needs = []need{
	{weight: parts.QWeight, one: parts.SetOf(parts.Scales)},
	{weight: parts.QWeight, one: parts.SetOf(parts.Zeros)},
	{weight: parts.QWeight, one: parts.SetOf(parts.GroupIndex), peers: true},
	{weight: parts.Packed, kind: ^parts.U8, one: parts.SetOf(parts.Scale, parts.ScaleInv), name: parts.Scale, always: true},
	{weight: parts.Packed, kind: ^parts.U8, one: parts.SetOf(parts.ShapeOf)},
	{weight: parts.Packed, kind: parts.U8, one: parts.SetOf(parts.Scale), always: true},
	{weight: parts.Packed, kind: parts.U8, one: parts.SetOf(parts.GlobalScale), peers: true},
	{weight: parts.Blocks, kind: parts.U8, one: parts.SetOf(parts.Scales)},
	{weight: weight, kind: parts.Float8, one: parts.SetOf(parts.Scale, parts.ScaleInv), name: parts.ScaleInv, peers: true},
	{weight: weight, kind: parts.I8, one: parts.SetOf(parts.Scale), peers: true},
	{weight: weight, kind: parts.U8, unless: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.Scale), peers: true},
	{weight: weight, kind: parts.U8, with: parts.SetOf(parts.Scale), one: parts.SetOf(parts.Scale2), peers: true},
	{weight: weight, kind: parts.U8, unless: parts.SetOf(parts.Scale), one: parts.SetOf(parts.Absmax), peers: true},
	{weight: weight, kind: parts.U8, with: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.QuantMap), peers: true},
	{weight: weight, kind: parts.U8, with: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.QuantState), peers: true},
	{weight: weight, kind: parts.U8, with: parts.SetOf(parts.NestedAbsmax), one: parts.SetOf(parts.NestedMap), peers: true},
	{weight: weight, kind: parts.Int32, one: parts.SetOf(parts.Scales)},
	{weight: weight, kind: parts.Int32, with: parts.SetOf(parts.Scales), one: parts.SetOf(parts.Biases), peers: true},
}

// missing returns the companion that is reported.
func (n *need) missing() parts.Role {
	return cmp.Or(n.name, parts.Role(bits.TrailingZeros64(uint64(n.one))))
}

// isFor reports whether a module has a weight of the need.
func (n *need) isFor(m *module) bool {
	return m.have.Has(n.weight) && (n.kind == 0 || m.kind&n.kind != 0) && m.have&n.with == n.with && m.have&n.unless == 0
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
func (p *packed) judgeNeed(m *subject, n *need) {
	const times = 4 // weights with it for each without
	kinds := make(map[kind]*census)
	var all tally
	with, always := 0, n.always && m.Method == "compressed-tensors"
	for i := range p.modules {
		one := &p.modules[i]
		if !n.isFor(one) {
			continue
		}
		var k kind
		if n.peers {
			at := parse(one.name)
			k = kind{at.stack, at.rest}
			if at.layer < 0 {
				k.rest = one.name // no peers
			}
		}
		c := kinds[k]
		if c == nil {
			c = new(census)
			kinds[k] = c
		}
		if one.have&n.one != 0 {
			c.with++
			continue
		}
		weight := p.get(one, n.weight)
		c.lack.add(weight.info, weight.shard)
	}
	for _, c := range kinds {
		if c.lack.n > 0 && (always || c.with >= times*c.lack.n) {
			all.join(&c.lack)
			with += c.with
		}
	}
	also := ""
	if with > 0 {
		also = ", which " + count(with, "similar tensor") + " have"
	}
	m.report(RuleQuantCompanion, &all, "is packed, but lacks its", "are packed, but lack their", "%s%s", n.missing(), also)
}

// judgeOrphans reports companions without a weight, where one is certainly missing.
func (p *packed) judgeOrphans(m *subject) {
	var orphans tally
	for i := range p.modules {
		one := &p.modules[i]
		if one.have&parts.Holders != 0 {
			continue
		}
		var companion end
		switch {
		case one.have.Has(parts.Scales) && one.have.Has(parts.Zeros):
			companion = p.get(one, parts.Zeros)
		case one.have.Has(parts.Scale) && one.have.Has(parts.ShapeOf):
			companion = p.get(one, parts.ShapeOf)
		default:
			continue
		}
		orphans.add(companion.info, companion.shard)
	}
	m.report(RuleQuantCompanion, &orphans, "belongs to a packed weight that is", "belong to packed weights that are",
		"missing")
}
