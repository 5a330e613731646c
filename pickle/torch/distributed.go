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
