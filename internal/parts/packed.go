// Which tensors belong to packed weights.

package parts

import (
	"iter"

	"github.com/weightools/safetensors"
)

// A Packing is the modules of a model whose weights are packed.
type Packing map[string]bool

// narrow are the dtypes of weights that may be packed.
const narrow = Float8 | Float4 | Int8 | Int16 | Int32

// OfPacked returns the module and the role of a tensor, and whether it may be part of a packed weight by
// its name and dtype.
func OfPacked(ti *safetensors.TensorInfo) (module string, role Role, ok bool) {
	module, role = Split(ti.Name)
	switch kind := KindOf(ti.Dtype); {
	case role != Weight:
		return module, role, role != Extra && role != Activation
	case Last(ti.Name) == "weight":
		return module, role, kind&narrow != 0
	default: // such as "experts.down_proj"
		return module, role, kind == Float8
	}
}

// PackingOf returns the packed modules among tensors: those that have values in a narrow dtype or
// under the name of a packed weight, and a companion that says what these values are. Without a
// companion, floats of 8 bits are numbers like any others.
func PackingOf(tensors iter.Seq[*safetensors.TensorInfo]) Packing {
	const holds, accompanied = 1, 2
	seen := make(map[string]int)
	for ti := range tensors {
		module, role, ok := OfPacked(ti)
		switch {
		case ok && !role.Holds():
			seen[module] |= accompanied
		case ok, role == Weight && KindOf(ti.Dtype)&narrow != 0: // under any name, since a companion is required, too
			seen[module] |= holds
		}
	}
	p := make(Packing)
	for module, has := range seen {
		if has == holds|accompanied {
			p[module] = true
		}
	}
	return p
}

// Has reports whether a tensor is a part of a packed weight, and which.
func (p Packing) Has(name string) (Role, bool) {
	module, role := Split(name)
	switch {
	case p[module]:
		return role, true
	case len(p) > 0 && role == Activation: // of a module that has no weight of its own, such as an attention
		return role, true
	}
	return role, false
}
