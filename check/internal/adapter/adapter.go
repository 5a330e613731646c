// Package adapter has the rules about adapters: whether both matrices of each module are there, whether they fit, and
// what their configuration and their base say about them.
package adapter

import (
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// A Subject is the set that an adapter is in.
type Subject interface {
	// File returns the file with which faults of the set are reported.
	File() string
	// ShardPath returns the path of the shard with a number.
	ShardPath(shard int) string
	// Len returns the number of tensors.
	Len() int
	// Any reports whether a tensor of the set is one of those that are asked for.
	Any(is func(*safetensors.TensorInfo) bool) bool
	// Configured returns the path of adapter_config.json and its members, or a nil object if there is none.
	Configured() (string, config.Object)
	// Found returns the findings of a file.
	Found(file string) *checkpoint.Findings
	// Report reports a tally with the shard of its first tensor. The format makes what follows the subject.
	Report(r safetensors.Rule, t *rule.Tally, one, several, format string, args ...any)
}

// An Adapter is the tensors of an adapter in a set.
type Adapter struct {
	adapters.Set
	n     int // the number of the set's tensors that belong to an adapter
	empty rule.Tally
}

// Look adds a tensor if it belongs to an adapter.
func (a *Adapter) Look(ti *safetensors.TensorInfo, shard int) {
	if !a.Add(ti, shard) {
		return
	}
	a.n++
	if m, ok := parts.MatrixOf(ti.Name); ok && m.Kind == "LoRA" && m.Leaf != "bias" && ti.Size() == 0 {
		a.empty.Add(ti, shard)
	}
}

// Any reports whether a tensor belongs to an adapter.
func (a *Adapter) Any() bool { return a.n > 0 }

// IsMost reports whether most of so many tensors belong to an adapter.
func (a *Adapter) IsMost(tensors int) bool { return a.n*2 > tensors }

// Judge applies the rules to a complete set that is an adapter.
func (a *Adapter) Judge(m Subject) {
	a.Close()
	switch {
	case m.Len() == 0:
		m.Found(m.File()).Add(rule.AdapterEmpty, "", safetensors.Span{}, "the adapter %s has no tensors",
			wording.Quote(path.Base(m.File())))
	case a.empty.N > 0: // then the ranks mean nothing
		m.Report(rule.AdapterEmpty, &a.empty, "is an empty tensor", "are empty tensors",
			"of an adapter: DeepSpeed ZeRO-3 saves this if weights are not gathered first")
		return
	}
	a.judgePairs(m)
	a.judgeConfig(m)
	a.judgeNames(m)
}

// judgePairs reports matrices without their counterparts, and pairs of two ranks.
func (a *Adapter) judgePairs(m Subject) {
	var alone, unequal rule.Tally
	var ranks [2]int64
	paired := 0
	for one := range a.All() {
		down, up := one.Down(), one.Up()
		switch {
		case down == nil && up == nil || !hasPairs(one):
		case up == nil:
			alone.Add(down.Info, down.File)
		case down == nil:
			alone.Add(up.Info, up.File)
		default:
			paired++
			if x, y := one.Ranks(); x != y && x > 0 && y > 0 {
				if unequal.N == 0 {
					ranks = [2]int64{x, y}
				}
				unequal.Add(down.Info, down.File)
			}
		}
	}
	if alone.N > paired && a.Tensors() < m.Len() {
		alone = rule.Tally{} // a kind of adapter with further tensors under other names
	}
	m.Report(rule.AdapterPair, &alone, "belongs", "belong", "to an adapter, but the other matrix of the module is missing")
	m.Report(rule.AdapterPair, &unequal, "has", "have",
		"a different rank than the other matrix of the module: %d and %d", ranks[0], ranks[1])
}

// hasPairs reports whether the adapter of a module always has two matrices. LoHa and LoKr have other matrices, too.
func hasPairs(m *adapters.Module) bool { return m.Kind() == "LoRA" }
