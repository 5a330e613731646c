// Packed weights: the tensors that belong to each, grouped by module.

// Package packing groups the tensors of packed weights, and knows which companions a packed weight needs.
package packing

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// Weights are the modules of a set that have parts of packed weights.
type Weights struct {
	Modules []Module

	index  map[string]int32 // of modules, by name
	pieces []piece
	last   int32 // the module of the previous piece
}

// A Module is what one packed weight is made of.
type Module struct {
	Name string
	Have parts.Set
	Kind parts.Kinds // of its weight: of the part with the role parts.Weight, if any

	head int32 // the index of its last piece, plus one
}

// A piece is one tensor of a module.
type piece struct {
	info  *safetensors.TensorInfo
	shard int32
	next  int32 // the previous piece of the same module, as in Module.head
	role  parts.Role
}

// Add adds a tensor of a shard to its module, if it may be part of a packed weight.
func (w *Weights) Add(ti *safetensors.TensorInfo, shard int) {
	name, role, ok := parts.OfPacked(ti)
	if !ok {
		return
	}
	if w.index == nil {
		w.index = make(map[string]int32)
	}
	at := w.last
	if len(w.Modules) == 0 || w.Modules[at].Name != name {
		var ok bool
		if at, ok = w.index[name]; !ok {
			at = int32(len(w.Modules))
			w.index[name] = at
			w.Modules = append(w.Modules, Module{Name: name})
		}
		w.last = at
	}
	m := &w.Modules[at]
	w.pieces = append(w.pieces, piece{ti, int32(shard), m.head, role})
	m.head = int32(len(w.pieces))
	m.Have.Add(role)
	if role.Holds() {
		m.Kind = parts.KindOf(ti.Dtype)
	}
}

// Any reports whether any weight is packed.
func (w *Weights) Any() bool {
	return slices.ContainsFunc(w.Modules, func(m Module) bool { return m.Have&parts.Holders != 0 })
}

// Get returns the tensor of a module with the given role and its shard, or nil if there is none.
func (w *Weights) Get(m *Module, want parts.Role) (info *safetensors.TensorInfo, shard int) {
	for at := m.head; at > 0; at = w.pieces[at-1].next {
		if one := &w.pieces[at-1]; one.role == want {
			return one.info, int(one.shard)
		}
	}
	return nil, 0
}

// AppendTensors appends the tensors of a module to a list. Of several with the same role, that of the first shard comes
// last.
func (w *Weights) AppendTensors(list []*safetensors.TensorInfo, m *Module) []*safetensors.TensorInfo {
	for at := m.head; at > 0; at = w.pieces[at-1].next {
		list = append(list, w.pieces[at-1].info)
	}
	return list
}

// ShardOf returns the number of the shard that has a tensor of a module.
func (w *Weights) ShardOf(m *Module, ti *safetensors.TensorInfo) int {
	for at := m.head; at > 0; at = w.pieces[at-1].next {
		if w.pieces[at-1].info == ti {
			return int(w.pieces[at-1].shard)
		}
	}
	return 0
}
