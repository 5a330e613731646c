// One file of a checkpoint.

package zero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// A file is one file of a checkpoint.
type file struct {
	name    string
	tensors []*safetensors.Tensor // their names are paths
	byPath  map[string]*safetensors.Tensor
	skipped []torch.Skipped
	top     pickle.Value

	dangerous string // as in checkpoint.Description
}

// openFile parses a file.
func (o *Options) openFile(ctx context.Context, name string, object store.Object) (*file, error) {
	var own torch.Options
	if o.Torch != nil {
		own = *o.Torch
	}
	own.Root, own.All, own.Values, own.Empty = "", true, true, true
	cp, err := torch.Open(object.ReaderAt(ctx), object.Size(), &own)
	var fault *torch.FormatError
	if errors.As(err, &fault) {
		v := fault.Violation()
		v.Detail = wording.Quote(name) + ": " + v.Detail
		if errors.Is(err, torch.ErrNotCheckpoint) {
			return nil, fmt.Errorf("%w: %w", checkpoint.ErrNotFormat, v)
		}
		return nil, v
	}
	if err != nil {
		return nil, err
	}
	f := &file{name: name, tensors: cp.Tensors, skipped: cp.Skipped, dangerous: cp.Describe().Dangerous}
	f.byPath = make(map[string]*safetensors.Tensor, len(cp.Tensors))
	for _, t := range cp.Tensors {
		f.byPath[t.Name] = t
	}
	if cp.Values != nil { // archives of NumPy have none
		f.top = cp.Values.Top
	}
	return f, nil
}

// at returns the tensor at a path, or nil.
func (f *file) at(path ...string) *safetensors.Tensor { return f.byPath[strings.Join(path, ".")] }

// openBeside parses a file in the same folder. If it is missing, the error says why it is needed.
func (o *Options) openBeside(ctx context.Context, name string, beside checkpoint.Beside, why string) (*file, error) {
	object, err := beside(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing("%s is missing: %s", wording.Quote(name), why)
	}
	if err != nil {
		return nil, err
	}
	f, err := o.openFile(ctx, name, object)
	if errors.Is(err, checkpoint.ErrNotFormat) {
		return nil, checkpoint.Damaged("%s is not a PyTorch checkpoint: %s", wording.Quote(name), why)
	}
	return f, err
}

// missing returns the violation for a file that is not there.
func missing(format string, args ...any) *safetensors.Violation {
	return &safetensors.Violation{Rule: checkpoint.RuleShardMissing, Severity: safetensors.Invalid,
		Detail: fmt.Sprintf(format, args...),
		Fix:    "Copy the file of that process into the folder, or save the checkpoint again with every process."}
}
