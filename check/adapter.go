// Adapters: whether both matrices of each module are there, and whether they fit.

package check

import (
	"maps"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// An adapter is the pairs of LoRA matrices in a set.
type adapter struct {
	n     int // the number of the set's tensors that belong to an adapter
	empty tally
	pairs map[string]*pair // by the names of their tensors, without the word that tells the two apart
}

// A pair is the matrices that modify one module: the modification is their product, with the rank between
// them.
type pair struct {
	down, up         end
	downRank, upRank int64 // 0 if unknown
}

func (a *adapter) look(ti *safetensors.TensorInfo, shard int) {
	m, ok := parts.MatrixOf(ti.Name)
	if !ok || m.Kind != "LoRA" { // LoHa and LoKr have other matrices too
		return
	}
	a.n++
	if parts.Last(ti.Name) == "bias" {
		return // of lora_B, with lora_bias; lora_A has none
	}
	if ti.Size() == 0 {
		a.empty.add(ti, shard)
	}
	if a.pairs == nil {
		a.pairs = make(map[string]*pair)
	}
	p := a.pairs[m.Pair]
	if p == nil {
		p = new(pair)
		a.pairs[m.Pair] = p
	}
	if m.Down {
		p.down, p.downRank = end{ti, shard}, m.Rank(ti.Shape)
	} else {
		p.up, p.upRank = end{ti, shard}, m.Rank(ti.Shape)
	}
}

// isAdapter reports whether the set is an adapter, by its name or by most of its tensors.
func (a *adapter) isAdapter(m *subject) bool { return m.isAdapterByName() || a.n*2 > m.tensors }

func (a *adapter) judge(m *subject) {
	if !a.isAdapter(m) || !m.complete {
		return
	}
	switch {
	case m.tensors == 0:
		m.found(m.file()).Add(RuleAdapterEmpty, "", safetensors.Span{}, "the adapter %s has no tensors",
			quote(path.Base(m.file())))
	case a.empty.n > 0: // then the ranks mean nothing
		m.report(RuleAdapterEmpty, &a.empty, "is an empty tensor", "are empty tensors",
			"of an adapter: DeepSpeed ZeRO-3 saves this if weights are not gathered first")
		return
	}
	a.judgePairs(m)
	a.judgeRank(m)
}

// judgePairs reports matrices without their counterparts, and pairs of two ranks.
func (a *adapter) judgePairs(m *subject) {
	var alone, unequal tally
	var ranks [2]int64
	paired := 0
	for _, key := range slices.Sorted(maps.Keys(a.pairs)) {
		p := a.pairs[key]
		switch {
		case p.up.info == nil:
			alone.add(p.down.info, p.down.shard)
		case p.down.info == nil:
			alone.add(p.up.info, p.up.shard)
		default:
			paired++
			if down, up := p.ranks(); down != up {
				if unequal.n == 0 {
					ranks = [2]int64{down, up}
				}
				unequal.add(p.down.info, p.down.shard)
			}
		}
	}
	if alone.n > paired {
		alone = tally{} // a kind of adapter with other names
	}
	m.report(RuleAdapterPair, &alone, "belongs", "belong", "to an adapter, but the other matrix of the module is missing")
	m.report(RuleAdapterPair, &unequal, "has", "have",
		"a different rank than the other matrix of the module: %d and %d", ranks[0], ranks[1])
}

// ranks returns the rank by each matrix, or 0 for both if one is unknown.
func (p *pair) ranks() (down, up int64) {
	if p.downRank == 0 || p.upRank == 0 {
		return 0, 0
	}
	return p.downRank, p.upRank
}

// judgeRank compares the ranks with adapter_config.json, if it has a single rank for all modules.
func (a *adapter) judgeRank(m *subject) {
	if m.main == nil {
		return
	}
	root := m.Main.Root
	r, ok := root.First("r").Int()
	if !ok || root.Text("peft_type") != "LORA" || len(root.First("rank_pattern").Object()) > 0 ||
		root.First("target_parameters").Kind() != 0 {
		return
	}
	var odd tally
	rank := int64(0)
	for _, key := range slices.Sorted(maps.Keys(a.pairs)) {
		p := a.pairs[key]
		if p.down.info == nil || p.up.info == nil {
			continue
		}
		down, up := p.ranks()
		if down != up || down == 0 || down == r {
			continue
		}
		if odd.n == 0 {
			rank = down
		}
		odd.add(p.down.info, p.down.shard)
	}
	if odd.n == 0 {
		return
	}
	from := root.First("r")
	m.found(m.main.path).Add(RuleAdapterRank, "", spanOf(from), "%s has %s, but %s rank %d",
		quote(m.main.path), from.Sentence(), odd.subject("has", "have"), rank)
}
