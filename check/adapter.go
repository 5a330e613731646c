// Adapters: whether both matrices of each module are there, and whether they fit.

package check

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
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
	down, up end
	flipped  bool // [in, rank] and [rank, out], as in MLX
}

// sides are the words that tell the two matrices of a module apart, in names by PEFT, kohya's scripts,
// diffusers and MLX.
var sides = []struct {
	down, up string
	flipped  bool
}{
	{"lora_A", "lora_B", false},
	{"lora_embedding_A", "lora_embedding_B", false},
	{"lora_down", "lora_up", false},
	{"lora.down", "lora.up", false},
	{"lora_a", "lora_b", true},
}

func (a *adapter) look(ti *safetensors.TensorInfo, shard int) {
	if !strings.Contains(ti.Name, "lora") {
		return
	}
	for i := range sides {
		side := &sides[i]
		for _, mark := range []string{side.down, side.up} {
			before, after, ok := strings.Cut(ti.Name, mark)
			if !ok || after != "" && after[0] != '.' {
				continue // lora_A is not part of lora_A_scale
			}
			a.n++
			if ti.Size() == 0 {
				a.empty.add(ti, shard)
			}
			a.add(before+side.down+after, mark == side.down, side.flipped, end{ti, shard})
			return
		}
	}
}

func (a *adapter) add(key string, down, flipped bool, e end) {
	if a.pairs == nil {
		a.pairs = make(map[string]*pair)
	}
	p := a.pairs[key]
	if p == nil {
		p = &pair{flipped: flipped}
		a.pairs[key] = p
	}
	if down {
		p.down = e
	} else {
		p.up = e
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

// ranks returns the rank by each matrix, or 0 for tensors of one or three dimensions.
func (p *pair) ranks() (down, up int64) {
	a, b := p.down.info.Shape, p.up.info.Shape
	switch {
	case len(a)%2 != 0 || len(b)%2 != 0 || len(a) == 0 || len(b) == 0:
		return 0, 0
	case p.flipped:
		return a[1], b[0]
	}
	return a[0], b[1]
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
		if down != up || down == r {
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
