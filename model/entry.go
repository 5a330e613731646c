// Entries: the tensors of a model while they are counted.

package model

import (
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// A TensorCount is how a tensor was counted.
type TensorCount struct {
	Rule        Rule
	Scheme      string // the name of the packing, or ""
	Params      Range  // logical parameters
	Bits        int64  // of each value; 0 if unknown or different
	Why         string // why Params is not exact, or ""
	DuplicateOf string // the tensor of which this is a duplicate, or ""
}

// An entry is a tensor of the model.
type entry struct {
	TensorCount
	scheme.Tensor
	next int32 // the next entry of the same module, or -1
	role parts.Role
}

// A counter counts one model.
type counter struct {
	*Model
	context scheme.Context
	notes   config.Notes

	entries []entry
	modules map[string]int32 // the last entry of each module
	order   []string         // the names of modules in the order in which they were found

	types  []string         // of the model, for the names of buffers
	proved map[string]proof // about the tensors whose names begin like this
}

// assemble collects the parts of a module.
func (c *counter) assemble(m *scheme.Module, name string) {
	m.Name, m.Parts = name, [parts.Count]*scheme.Tensor{}
	// The chain runs from the last entry to the first, which wins if several files have one.
	for i := c.modules[name]; i >= 0; i = c.entries[i].next {
		m.Set(c.entries[i].role, &c.entries[i].Tensor)
	}
}
