// Weights: one set, whose tensors are looked at once for all rules.

package check

import (
	"iter"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/adapter"
	"github.com/weightools/safetensors/model/names"
)

// weights are a set and what its tensors show.
type weights struct {
	subject
	adapter adapter.Adapter
	layers  layers
	shapes  shapes
	packed  packed
	ends    ends
	sums    sums
	wrapped wrapped
	dtypes  dtypes
	states  states

	recognition *names.Recognition // nil until it is needed
}

// whose returns whose names the tensors have.
func (m *weights) whose() *names.Recognition {
	if m.recognition == nil {
		m.recognition = names.Recognize(func(yield func(string) bool) {
			for ti := range m.each() {
				if !yield(ti.Name) {
					return
				}
			}
		})
	}
	return m.recognition
}

// isAdapter reports whether the set is an adapter, by its name or by most of its tensors.
func (m *weights) isAdapter() bool { return m.isAdapterByName() || m.adapter.IsMost(m.tensors) }

// judge looks at every tensor, and then applies the rules.
func (m *weights) judge() {
	defer func() { m.layers, m.shapes, m.packed = layers{}, shapes{}, packed{} }() // frees memory
	entered := -1
	for ti, shard := range m.each() {
		if shard != entered {
			m.sums.enter(&m.shards[shard])
			entered = shard
		}
		m.look(ti, shard)
	}
	for i := range m.shards {
		if h := m.shards[i].header; h != nil && len(h.Tensors) == 0 {
			m.sums.enter(&m.shards[i])
		}
	}
	m.judgeIndex()
	m.judgeModes()
	isAdapter := m.isAdapter()
	m.sums.judge(&m.subject, isAdapter)
	if m.index != nil && m.complete && m.index.TotalParameters >= 0 {
		if m.Quant != nil || m.packed.Any() {
			m.judgePackedParameters(m.sums.isTwice)
		} else {
			m.sums.judgeParameters(&m.subject)
		}
	}
	m.wrapped.judge(m)
	if isAdapter && m.complete {
		m.adapter.Judge(&m.subject)
	}
	if m.set.CopyOf != "" || isAdapter {
		return // the configuration is about the original
	}
	if m.states.judge(&m.subject) {
		return
	}
	m.judgePrefix()
	m.packed.judge(&m.subject)
	m.packed.judgeDeclared(&m.subject)
	m.dtypes.judge(&m.subject, len(m.packed.Modules) > 0)
	m.ends.judge(&m.subject, m.layers.areAll(&m.subject))
	m.shapes.judge(&m.subject)
	m.layers.judge(m)
}

// each yields the tensors that loaders read, with the numbers of their shards. Those that follow the index do not read
// a tensor that it assigns to another shard, which Checkpoint.Validate reports.
func (m *weights) each() iter.Seq2[*safetensors.TensorInfo, int] {
	return func(yield func(*safetensors.TensorInfo, int) bool) {
		unlisted := m.index != nil && m.tensors != len(m.index.Tensors)
		for i := range m.shards {
			h := m.shards[i].header
			for t := 0; h != nil && t < len(h.Tensors); t++ {
				if ti := &h.Tensors[t]; (!unlisted || !m.isElsewhere(ti.Name, i)) && !yield(ti, i) {
					return
				}
			}
		}
	}
}

// look looks at one tensor.
func (m *weights) look(ti *safetensors.TensorInfo, shard int) {
	n := parse(ti.Name)
	m.sums.look(ti, shard, n)
	m.adapter.Look(ti, shard)
	m.packed.Add(ti, shard)
	m.wrapped.look(ti, shard)
	m.dtypes.look(ti, shard)
	m.states.look(ti, shard, n)
	if n.layer < 0 {
		m.ends.look(ti, shard, n)
		return
	}
	m.layers.look(ti, shard, n)
	m.shapes.look(&m.subject, ti, shard, n)
}
