// Distributed tensors: each process of a training saves its part.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/dtensor"
)

// joinParts is the advice for distributed tensors.
const joinParts = "Join the parts of all processes along that dimension, with the program that trained the model: " +
	"for files of verl, `python -m verl.model_merger merge --backend fsdp --local_dir FOLDER --target_dir NEW`."

// wrapperSubclass returns the error for a tensor of a class in Python that has its data in attributes. The state has
// them; it is the zero Value if there is none. (torch/_utils.py, _rebuild_wrapper_subclass.)
func wrapperSubclass(args, state pickle.Value) error {
	if _, class, _ := args.Item(0).Global(); class != "DTensor" {
		return unsupportedf("a tensor of a class that stores its data elsewhere")
	}
	how := ""
	if dims := dtensor.Along(state); len(dims) > 0 {
		how = ", divided along " + strings.Join(dims, " and ")
	}
	return unsupported{why: "the part that one process has of a distributed tensor (DTensor)" + how, fix: joinParts}
}

// part returns the view for the part that a process has of a distributed tensor, if Options.Parts is set.
func (b *builder) part(args, state pickle.Value) (*view, error) {
	p, local, ok := dtensor.PartOf(args, state)
	c, called := local.Called()
	_, class, _ := args.Item(0).Global()
	if !b.opts.Parts || class != "DTensor" || !ok || !called {
		return nil, wrapperSubclass(args, state)
	}
	v, err := b.composed(c.Args(), func(args pickle.Value) (*view, error) {
		switch rebuilderOf(c.Callee()) { // no others, which can contain themselves
		case "_rebuild_tensor", "_rebuild_tensor_v2":
			return b.typed(args)
		case "_rebuild_tensor_v3":
			return b.untyped(args)
		}
		return nil, wrapperSubclass(args, state)
	})
	if err == nil {
		v.part = p
	}
	return v, err
}
