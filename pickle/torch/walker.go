// The walk over the values of a pickle.

package torch

import (
	"fmt"

	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// A walker walks over values, and builds the tensors among them.
type walker struct {
	*builder
	*tree.Walker
}

func (f *file) walker(b *builder) *walker {
	exceed := func(fixed bool, format string, args ...any) error {
		return &FormatError{Detail: fmt.Sprintf(format, args...), limit: true, fixed: fixed}
	}
	return &walker{b, &tree.Walker{IsTensor: b.isTensor, Exceed: exceed, Most: tree.MaxSteps(f.described()),
		Room: int(f.opts.Pickle.MaxMemory / childSize), Looker: tree.Looker{Class: f.class}}}
}

// fromTop returns the path from the top for a path from the root.
func (f *file) fromTop(path string) string {
	if f.Root == "" {
		return path
	}
	return f.Root + "." + path
}

// described returns the number of bytes that describe the tensors.
func (f *file) described() int64 {
	if f.Report != nil {
		return f.Report.End
	}
	return f.size
}

// childSize and tensorSize are the approximate sizes in bytes of a child in a walk, and of a tensor.
const (
	childSize  = 200
	tensorSize = 600
)
