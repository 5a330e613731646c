// Adapters: whether they have what they add, and whether its parts fit.

package check

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// An adapter is the pairs of matrices of LoRA, as far as a set has some.
type adapter struct {
	n     int // how many of the set's tensors are of an adapter
	empty tally
	pairs map[string]*pair // by the names of their tensors, without what tells the two apart
}

// A pair is the matrices by which one module is changed: the product of the two,
// with the rank between them.
type pair struct {
	down, up end
	flipped  bool // [in, rank] and [rank, out], as MLX has it
}

// sides are what tells the two matrices of a module apart, in the names that PEFT,
// kohya's scripts, diffusers and MLX give to them.
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
				continue // lora_A is no part of lora_A_scale
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

// isAdapterByName says whether the set is called as PEFT calls adapters.
func (m *weights) isAdapterByName() bool {
	return strings.HasPrefix(path.Base(m.file()), "adapter_model") || m.set.Role == checkpoint.Adapter
}

// isAdapter says whether the set is an adapter, by its name or by most of its
// tensors: alone in a folder, it is what is counted.
func (m *weights) isAdapter() bool { return m.isAdapterByName() || m.adapter.n*2 > m.tensors }

func (m *weights) judgeAdapter() {
	a := &m.adapter
	if !m.isAdapter() || !m.whole {
		return
	}
	switch {
	case m.tensors == 0:
		m.found(m.file()).Add(RuleAdapterEmpty, "", safetensors.Span{}, "the adapter %s has no tensors", quote(path.Base(m.file())))
	case a.empty.n > 0:
		m.report(RuleAdapterEmpty, &a.empty, "is", "are",
			"of an adapter and without elements, as DeepSpeed ZeRO-3 leaves them if they are not gathered before they are saved")
		return // the rank of nothing is nothing
	}
	a.judgePairs(m)
	a.judgeRank(m)
}

// judgePairs reports matrices without their counterparts, and pairs of two ranks.
func (a *adapter) judgePairs(m *weights) {
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
		alone = tally{} // it is a kind of adapter that names them otherwise
	}
	m.report(RuleAdapterPair, &alone, "is", "are", "of an adapter, and the other matrix of the module is not there")
	m.report(RuleAdapterPair, &unequal, "has", "have", "another rank than the other matrix of the module: %d and %d", ranks[0], ranks[1])
}

// ranks returns the rank by each matrix; of those with one dimension or with three
// it is not known what they are.
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

// judgeRank compares the ranks with the one of adapter_config.json, if that tells of
// one for all modules.
func (a *adapter) judgeRank(m *weights) {
	c := m.config
	r, told, ok := c.int("r")
	if !ok || c.top.first("peft_type").string() != "LORA" || len(c.top.first("rank_pattern").object()) > 0 ||
		c.top.first("target_parameters").kind != 0 {
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
	m.found(c.path).Add(RuleAdapterRank, "", told.at, "%s has %v, and %s of rank %d", quote(c.path), told, odd.subject("is", "are"), rank)
}
