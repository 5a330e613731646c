// Packing: what is wrong with packed weights.

package model

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// A Packing judges packed weights by the rules by which Count counts them, without memory for each tensor.
type Packing struct {
	context scheme.Context
	module  scheme.Module
	tensors [parts.Count]scheme.Tensor
}

// NewPacking returns a Packing for the weights of a model.
func NewPacking(m *Model) *Packing { return &Packing{context: m.context(new(config.Notes))} }

// A Problem is what is wrong with a packed weight. The zero Problem is nothing.
type Problem struct {
	Tensor *safetensors.TensorInfo // the one with the values

	Fault    Finding // how the shapes of the tensors contradict each other
	Conflict Finding // how they contradict the configuration
	Lacks    string  // the usual name of a companion that is missing, or ""
}

// A Finding is one thing that is wrong. The zero Finding is none.
type Finding struct {
	Kind string // the same for all weights with the same kind of fault
	Text string
}

// Judge returns what is wrong with a weight: with the tensors that belong to one module. A weight with a Fault, or one
// that Lacks something, is never counted exactly.
func (p *Packing) Judge(module string, tensors []*safetensors.TensorInfo) Problem {
	p.module = scheme.Module{Name: module}
	for _, ti := range tensors {
		_, r := parts.Split(ti.Name)
		p.tensors[r] = scheme.Tensor{Info: ti, Kinds: parts.KindOf(ti.Dtype)}
		p.module.Set(r, &p.tensors[r])
	}
	s, v := p.module.Match(&p.context)
	if s == nil {
		return Problem{}
	}
	return Problem{p.module.Parts[s.Holds].Info, Finding(v.Fault), Finding(v.Conflict), v.Lacks.String()}
}
