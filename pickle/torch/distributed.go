// Distributed tensors: each process of a training saves its part.

package torch

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/pickle"
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
	if dims := shardedAlong(state); len(dims) > 0 {
		how = ", divided along " + strings.Join(dims, " and ")
	}
	return unsupported{why: "the part that one process has of a distributed tensor (DTensor)" + how, fix: joinParts}
}

// mostAttributes bounds what is looked at of a state: many tensors can share one.
const mostAttributes = 64

// shardedAlong returns the dimensions that a DTensor is divided along, in words, by the placements in its _spec.
func shardedAlong(state pickle.Value) (dims []string) {
	placements := attribute(attribute(state, "_spec"), "placements")
	if placements.Len() > mostAttributes {
		return nil
	}
	for placement := range placements.Items() {
		c, ok := placement.Called()
		if !ok {
			continue
		}
		if _, name, _ := c.Callee().Global(); !strings.HasSuffix(name, "Shard") {
			continue
		}
		dim, ok := attribute(placement, "dim").Int()
		if !ok {
			dim, ok = c.Args().Item(0).Int()
		}
		if ok && dim >= 0 {
			dims = append(dims, fmt.Sprintf("dimension %d", dim))
		}
	}
	return dims
}

// attribute returns a member of a dict, or an attribute of an object that was built with a dict.
func attribute(v pickle.Value, name string) (found pickle.Value) {
	if c, ok := v.Called(); ok {
		if state, ok := c.State(); ok {
			v = state
		}
	}
	if v.Kind() == pickle.KindTuple { // the attributes in a dict, if any, and those in slots
		v = v.Item(1)
	}
	if v.Len() > mostAttributes {
		return found
	}
	for key, value := range v.Pairs() {
		if text, _ := key.Str(); text == name {
			found = value
		}
	}
	return found
}
