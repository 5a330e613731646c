// Which tensors belong to packed weights.

package parts

import (
	"iter"

	"github.com/weightools/safetensors"
)

// A Packing is the modules of a model whose weights are packed.
type Packing map[string]bool

// narrow are the dtypes of weights that companions such as scales turn into values.
const narrow = Float8 | Float4 | Int8 | Int16 | Int32

// PackingOf returns the packed modules among tensors: those that have values in a narrow dtype or
// under the name of a packed weight, and a companion that says what these values are. Without a
// companion, floats of 8 bits are numbers like any others.
func PackingOf(tensors iter.Seq[*safetensors.TensorInfo]) Packing {
	const holds, accompanied = 1, 2
	seen := make(map[string]int)
	for ti := range tensors {
		module, role := Split(ti.Name)
		switch {
		case role == Weight && KindOf(ti.Dtype)&narrow != 0, role != Weight && role.Holds():
			seen[module] |= holds
		case !role.Holds() && role != Extra && role != Activation:
			seen[module] |= accompanied
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
