// Adapters: whether both matrices of each module are there, and whether they fit.

package check

import (
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/adapters"
)

// An adapter is the tensors of an adapter in a set.
type adapter struct {
	adapters.Set
	n     int // the number of the set's tensors that belong to an adapter
	empty tally
}

func (a *adapter) look(ti *safetensors.TensorInfo, shard int) {
	if !a.Add(ti, shard) {
		return
	}
	a.n++
	if m, ok := parts.MatrixOf(ti.Name); ok && m.Kind == "LoRA" && m.Leaf != "bias" && ti.Size() == 0 {
		a.empty.add(ti, shard)
	}
}

// isAdapter reports whether the set is an adapter, by its name or by most of its tensors.
func (a *adapter) isAdapter(m *subject) bool { return m.isAdapterByName() || a.n*2 > m.tensors }

func (a *adapter) judge(m *subject) {
	if !a.isAdapter(m) || !m.complete {
		return
	}
	a.Close()
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
	a.judgeConfig(m)
	a.judgeNames(m)
}

// judgePairs reports matrices without their counterparts, and pairs of two ranks.
func (a *adapter) judgePairs(m *subject) {
	var alone, unequal tally
	var ranks [2]int64
	paired := 0
	for one := range a.All() {
		down, up := one.Down(), one.Up()
		switch {
		case down == nil && up == nil || !hasPairs(one):
		case up == nil:
			alone.add(down.Info, down.File)
		case down == nil:
			alone.add(up.Info, up.File)
		default:
			paired++
			if x, y := one.Ranks(); x != y && x > 0 && y > 0 {
				if unequal.n == 0 {
					ranks = [2]int64{x, y}
				}
				unequal.add(down.Info, down.File)
			}
		}
	}
	if alone.n > paired && a.Tensors() < m.tensors {
		alone = tally{} // a kind of adapter with further tensors under other names
	}
	m.report(RuleAdapterPair, &alone, "belongs", "belong", "to an adapter, but the other matrix of the module is missing")
	m.report(RuleAdapterPair, &unequal, "has", "have",
		"a different rank than the other matrix of the module: %d and %d", ranks[0], ranks[1])
}

// hasPairs reports whether the adapter of a module always has two matrices. LoHa and LoKr have other matrices, too.
func hasPairs(m *adapters.Module) bool { return m.Kind() == "LoRA" }
