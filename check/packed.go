// Packed weights: whether each has what is needed to unpack it.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
)

// packed are the modules of a set that have parts of packed weights.
type packed struct {
	index   map[string]int32 // of modules, by name
	modules []module
	pieces  []piece
	last    int32 // the module of the piece before
}

// A module is what one packed weight is made of.
type module struct {
	name string
	have parts
	head int32 // of its pieces: the index of the last one, and one more
}

// Parts is a set of parts.
type parts uint32

func only(all ...part) (set parts) {
	for _, p := range all {
		set |= 1 << p
	}
	return set
}

func (s parts) has(p part) bool { return s>>p&1 != 0 }

// A piece is one tensor of a module.
type piece struct {
	info  *safetensors.TensorInfo
	shard int32
	next  int32 // the piece of the same module before it, as in module.head
	part  part
}

// heldWeights are the parts that are weights.
var heldWeights = only(partQWeight, partPacked, partPacked4, partBlocks, partWeightF8, partWeightI8, partWeightU8, partWeightU32)

func (p *packed) look(ti *safetensors.TensorInfo, shard int, n name) {
	part, name := partOf(ti, n)
	if part == partNone {
		return
	}
	if p.index == nil {
		p.index = make(map[string]int32)
	}
	at := p.last
	if len(p.modules) == 0 || p.modules[at].name != name {
		var ok bool
		if at, ok = p.index[name]; !ok {
			at = int32(len(p.modules))
			p.index[name] = at
			p.modules = append(p.modules, module{name: name})
		}
		p.last = at
	}
	m := &p.modules[at]
	p.pieces = append(p.pieces, piece{ti, int32(shard), m.head, part})
	m.head = int32(len(p.pieces))
	m.have |= 1 << part
}

// any says whether any weight is packed.
func (p *packed) any() bool {
	return slices.ContainsFunc(p.modules, func(m module) bool { return m.have&heldWeights != 0 })
}

// get returns the tensor that is the given part of a module; the zero end if there
// is none.
func (p *packed) get(m *module, want part) end {
	for at := m.head; at > 0; at = p.pieces[at-1].next {
		if one := &p.pieces[at-1]; one.part == want {
			return end{one.info, int(one.shard)}
		}
	}
	return end{}
}

func (p *packed) judge(m *weights) {
	if len(p.modules) == 0 {
		return
	}
	if m.whole && !m.isFile() {
		for i := range needs {
			p.judgeNeed(m, &needs[i])
		}
		p.judgeOrphans(m)
	}
	p.judgeShapes(m)
}

// A need is that a weight has one of some companions.
type need struct {
	weight part
	with   parts // it is one of those that have these, too
	unless parts // and none of those that have one of these
	one    parts // of which one has to be there
	name   part  // that is missing, if none is

	// It is by others like it that it is known whether it should be there: by all
	// weights of its kind, or if peers is set only by the same one of other layers.
	// Some makers leave a few weights as they are, but not one of one layer. Always
	// means that nothing more is needed to know it if the configuration tells of
	// compressed-tensors, whose forms have no exception.
	always, peers bool
}

var needs = []need{
	{weight: partQWeight, one: only(partScales), name: partScales},
	{weight: partQWeight, one: only(partZeros), name: partZeros},
	{weight: partQWeight, one: only(partGIdx), name: partGIdx, peers: true},
	{weight: partPacked, one: only(partScale, partScaleInv), name: partScale, always: true},
	{weight: partPacked, one: only(partShape), name: partShape},
	{weight: partPacked4, one: only(partScale), name: partScale, always: true},
	{weight: partPacked4, one: only(partGlobalScale), name: partGlobalScale, peers: true},
	{weight: partBlocks, one: only(partBlockScales), name: partBlockScales},
	{weight: partWeightF8, one: only(partScale, partScaleInv), name: partScaleInv, peers: true},
	{weight: partWeightI8, one: only(partScale), name: partScale, peers: true},
	{weight: partWeightU8, unless: only(partAbsmax), one: only(partScale), name: partScale, peers: true},
	{weight: partWeightU8, with: only(partScale), one: only(partScale2), name: partScale2, peers: true},
	{weight: partWeightU8, unless: only(partScale), one: only(partAbsmax), name: partAbsmax, peers: true},
	{weight: partWeightU8, with: only(partAbsmax), one: only(partQuantMap), name: partQuantMap, peers: true},
	{weight: partWeightU8, with: only(partAbsmax), one: only(partQuantState), name: partQuantState, peers: true},
	{weight: partWeightU8, with: only(partNested), one: only(partNestedMap), name: partNestedMap, peers: true},
	{weight: partWeightU32, one: only(partScales, partBlockScales), name: partScales},
	{weight: partWeightU32, with: only(partScales), one: only(partBiases), name: partBiases, peers: true},
}

// A kind is what weights have in common by whose companions one is judged: nothing,
// or their place in a layer.
type kind struct{ stack, rest string }

// A census counts the weights of one kind.
type census struct {
	with int
	lack tally
}

// judgeNeed reports weights without a companion that others like them have. Four
// of five have to have it, or it is taken for a matter of choice.
func (p *packed) judgeNeed(m *weights, n *need) {
	const times = 4 // as many with it as without it, at least
	kinds := make(map[kind]*census)
	var all tally
	with, always := 0, n.always && m.quant.first("quant_method").string() == "compressed-tensors"
	for i := range p.modules {
		one := &p.modules[i]
		if !one.have.has(n.weight) || one.have&n.with != n.with || one.have&n.unless != 0 {
			continue
		}
		var k kind
		if n.peers {
			at := parse(one.name)
			k = kind{at.stack, at.rest}
			if at.layer < 0 {
				k.rest = one.name // which has no peers
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
		also = ", which " + count(with, "other") + " like it have"
	}
	m.report(RuleQuantCompanion, &all, "is packed and lacks its", "are packed and lack their", "%s%s", partNames[n.name], also)
}

// join adds the tensors of another tally. Of two first ones that by name stays first.
func (t *tally) join(other *tally) {
	if t.n == 0 || other.first.Name < t.first.Name {
		t.first, t.shard = other.first, other.shard
	}
	t.n += other.n
	t.bytes += other.bytes
}

// judgeOrphans reports companions whose weight is not there, where they leave no
// doubt that there should be one.
func (p *packed) judgeOrphans(m *weights) {
	var orphans tally
	for i := range p.modules {
		one := &p.modules[i]
		if one.have&heldWeights != 0 {
			continue
		}
		var companion end
		switch {
		case one.have.has(partScales) && one.have.has(partZeros):
			companion = p.get(one, partZeros)
		case one.have.has(partScale) && one.have.has(partShape):
			companion = p.get(one, partShape)
		default:
			continue
		}
		orphans.add(companion.info, companion.shard)
	}
	m.report(RuleQuantCompanion, &orphans, "belongs to a packed weight that is", "belong to packed weights that are", "not there")
}
