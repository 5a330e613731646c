// The names of the tensors: the model is a part of what was saved.

package dcp

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
)

// trainingKeys are the outermost keys of the state of a training.
var trainingKeys = []string{
	"optimizer", "optimizers", "optim", "optimizer_state_dict", "optim_state_dict", "lr_scheduler", "lr_schedulers",
	"scheduler", "opt_param_scheduler", "dataloader", "train_state", "rng_state", "rerun_state_machine",
}

// choose returns the names of the tensors of the model, "" for other values, and the path that they are taken from.
// With optimizer set, it also chooses the tensors of the training, under all of their path.
func choose(entries []entry, o *torch.Options, optimizer bool) (names []string, root string, err error) {
	names = make([]string, len(entries))
	root, training := rootOf(entries, o)
	found := false
	for i := range entries {
		e := &entries[i]
		switch name, below := e.below(root); {
		case !e.tensor:
		case below && (root != "" || o.All || !e.isTraining()):
			names[i] = name
			found = true
		case optimizer && e.isTraining():
			names[i] = e.key
		}
	}
	switch {
	case found || o.Root != "":
	case training: // the state of an optimizer in a folder of its own
		for i := range entries {
			if entries[i].tensor {
				names[i] = entries[i].key
			}
		}
	}
	if o.Root != "" && !found {
		return nil, "", fmt.Errorf("dcp: there is no %s with tensors: %w", wording.Quote(o.Root), torch.ErrNoRoot)
	}
	return names, root, nil
}

// rootOf returns the path that the tensors of the model are taken from, and whether there are tensors of a training.
func rootOf(entries []entry, o *torch.Options) (root string, training bool) {
	keys := make(map[string]bool) // outermost keys of dicts with tensors
	for i := range entries {
		e := &entries[i]
		if e.tensor {
			training = training || e.isTraining()
			if len(e.path) > 1 {
				keys[e.path[0]] = true
			}
		}
	}
	if o.Root != "" || o.All {
		return o.Root, training
	}
	for _, key := range torch.RootKeys() {
		if keys[key] {
			return key, training
		}
	}
	return "", training
}

// below returns the name of a value below a path, and false if it is not below it.
func (e *entry) below(root string) (string, bool) {
	if root == "" {
		return e.key, true
	}
	rest, ok := strings.CutPrefix(e.key, root+".")
	return rest, ok && (e.path == nil || len(e.path) > 1)
}

// isTraining reports whether a value is part of the state of a training, by its outermost key.
func (e *entry) isTraining() bool {
	if len(e.path) > 1 {
		return isOptimizer(e.path[0])
	}
	return isOptimizer(e.key)
}
