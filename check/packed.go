// Packed weights: the tensors that belong to each, grouped by module.

package check

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
)

// packed are the modules of a set that have parts of packed weights.
type packed struct {
	index   map[string]int32 // of modules, by name
	modules []module
	pieces  []piece
	last    int32 // the module of the previous piece
}

// A module is what one packed weight is made of.
type module struct {
	name string
	have parts.Set
	kind parts.Kinds // of its weight: of the part with the role parts.Weight, if any
	head int32       // the index of its last piece, plus one
}

// A piece is one tensor of a module.
type piece struct {
	info  *safetensors.TensorInfo
	shard int32
	next  int32 // the previous piece of the same module, as in module.head
	role  parts.Role
}

// narrow are the dtypes of weights that may be packed.
const narrow = parts.Float8 | parts.Int8 | parts.Int32

// roleOf returns the role of a tensor and its module, and whether it may be part of a packed weight.
func roleOf(ti *safetensors.TensorInfo, n name) (module string, role parts.Role, ok bool) {
	module, role = parts.Split(ti.Name)
	switch kind := parts.KindOf(ti.Dtype); {
	case role != parts.Weight:
		return module, role, role != parts.Extra && role != parts.Activation
	case n.leaf == "weight":
		return module, role, kind&narrow != 0
	default: // such as "experts.down_proj"
		return module, role, kind == parts.Float8
	}
}

func (p *packed) look(ti *safetensors.TensorInfo, shard int, n name) {
	name, role, ok := roleOf(ti, n)
	if !ok {
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
	p.pieces = append(p.pieces, piece{ti, int32(shard), m.head, role})
	m.head = int32(len(p.pieces))
	m.have.Add(role)
	if role.Holds() {
		m.kind = parts.KindOf(ti.Dtype)
	}
}

// any reports whether any weight is packed.
func (p *packed) any() bool {
	return slices.ContainsFunc(p.modules, func(m module) bool { return m.have&parts.Holders != 0 })
}

// get returns the tensor of a module with the given role, or the zero end if there is none.
func (p *packed) get(m *module, want parts.Role) end {
	for at := m.head; at > 0; at = p.pieces[at-1].next {
		if one := &p.pieces[at-1]; one.role == want {
			return end{one.info, int(one.shard)}
		}
	}
	return end{}
}
