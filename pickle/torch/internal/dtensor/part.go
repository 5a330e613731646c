// The part of a distributed tensor that one process has.

package dtensor

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// A Part says which part of a distributed tensor a process has.
type Part struct {
	Shape []int64 // of the whole tensor

	// Along has, for each dimension of the mesh of processes, the dimension along which the tensor is divided, -1 if
	// the processes have copies.
	Along []int

	// At is where in the mesh the process is, nil if the file does not say.
	At []int64
}

// PartOf reads the arguments and the state of a DTensor. Local is the tensor that the process has. Ok is false if the
// tensor is divided in another way than into adjacent parts, or the attributes are not as PyTorch writes them.
// (torch/distributed/tensor/_api.py, _dtensor_spec.py and device_mesh.py.)
func PartOf(args, state pickle.Value) (p *Part, local pickle.Value, ok bool) {
	p = new(Part)
	if p.Shape, ok = numbers(args.Item(2)); !ok {
		return nil, local, false
	}
	spec := attribute(state, "_spec")
	placements := attribute(spec, "placements")
	if placements.Len() == 0 || placements.Len() > mostAttributes {
		return nil, local, false
	}
	for placement := range placements.Items() {
		c, ok := placement.Called()
		if !ok {
			return nil, local, false
		}
		dim := int64(-1)
		switch _, name, _ := c.Callee().Global(); name {
		case "Replicate":
		case "Shard":
			if dim, ok = attribute(placement, "dim").Int(); !ok {
				dim, ok = c.Args().Item(0).Int()
			}
			if !ok || dim < 0 || dim >= int64(len(p.Shape)) {
				return nil, local, false
			}
		default: // a sum that is pending, or parts that are not adjacent
			return nil, local, false
		}
		p.Along = append(p.Along, int(dim))
	}
	at, known := numbers(attribute(attribute(spec, "mesh"), "_coordinate_on_dim"))
	if known && len(at) == len(p.Along) {
		p.At = at
	}
	return p, attribute(state, "_local_tensor"), true
}

// numbers returns the numbers of a torch.Size, a tuple or a list.
func numbers(v pickle.Value) (list []int64, ok bool) {
	if c, ok := v.Called(); ok {
		if _, name, _ := c.Callee().Global(); !strings.HasSuffix(name, "Size") {
			return nil, false
		}
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList || v.Len() > mostAttributes {
		return nil, false
	}
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
