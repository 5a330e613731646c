// The optimizer state, and other values that are not weights.

package zero

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
)

// statePaths are the prefixes of the paths of optimizer state in a part. The number of the group and a key follow.
// Elastic checkpoints have the last one.
var statePaths = []string{
	partKey + "." + partKey + ".state.",
	partKey + ".base_optimizer_state.state.",
	partKey + ".base_optimizer_state.",
}

// stateOf returns the group and the key of a path of optimizer state.
func stateOf(path string) (group int, key string, ok bool) {
	for _, prefix := range statePaths {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			digits, key, _ := strings.Cut(rest, ".")
			group, err := strconv.Atoi(digits)
			return group, key, err == nil && key != ""
		}
	}
	return 0, "", false
}

// optimizer makes the tensors of optimizer state.
func (r *reader) optimizer() error {
	var keys []string
	groups := make([]map[string][]*safetensors.Tensor, len(r.parts[0].flats)) // by key, of all processes
	for g := range groups {
		groups[g] = make(map[string][]*safetensors.Tensor)
	}
	for rank, p := range r.parts {
		for _, t := range p.tensors {
			g, key, ok := stateOf(t.Name)
			if !ok || g < 0 || g >= len(groups) || len(groups[g][key]) != rank {
				continue
			}
			if rank == 0 && g == 0 {
				keys = append(keys, key)
			}
			groups[g][key] = append(groups[g][key], t)
		}
	}
	var made []*safetensors.Tensor
	for _, key := range keys {
		list, err := r.ofKey(groups, key)
		if err != nil {
			return err
		}
		made = append(made, list...)
	}
	if r.Optimizer {
		return r.add(made...)
	}
	r.made.state = made
	return nil
}

// stateName returns the name of a tensor of optimizer state.
func stateName(weight, key string) string { return "optimizer.state." + weight + "." + key }

// ofKey makes the tensors of one key. Flat arrays are divided like the weights. A number that all weights of a group
// share becomes a tensor for each weight. Anything else is left to [reader.describe].
func (r *reader) ofKey(groups []map[string][]*safetensors.Tensor, key string) ([]*safetensors.Tensor, error) {
	named := func(weight string) string { return stateName(weight, key) }
	flat, single := true, true
	for g, keys := range groups {
		if len(keys[key]) != len(r.parts) {
			return nil, nil
		}
		for rank, t := range keys[key] {
			single = single && len(t.Shape) == 0
			flat = flat && len(t.Shape) == 1 && t.NumElems() >= r.parts[rank].flats[g].NumElems()
		}
	}
	var list []*safetensors.Tensor
	switch {
	case flat:
		var err error
		of := func(rank, group int) *safetensors.Tensor { return groups[group][key][rank] }
		if list, err = r.divide(of, named); err != nil {
			return nil, err
		}
	case single && len(groups) == len(r.weights):
		for g, weights := range r.weights {
			for _, w := range weights {
				list = append(list, groups[g][key][0].Rename(named(w.name)))
			}
		}
	}
	if list != nil {
		for g := range groups {
			for _, prefix := range statePaths {
				r.state[prefix+fmt.Sprint(g)+"."+key] = true
			}
		}
	}
	return list, nil
}

// skip records a value that is not among the tensors.
func (r *reader) skip(s torch.Skipped) { r.made.skipped = append(r.made.skipped, s) }

// usedKeys are the paths of the values that say where the weights are.
var usedKeys = []string{"param_shapes", "buffer_names", "frozen_param_shapes", "frozen_param_fragments", "shared_params",
	partKey + ".zero_stage", partKey + ".partition_count", partKey + ".param_alignment_paddings"}

// describe lists the files, and what is left out of them.
func (r *reader) describe() {
	cp := r.made
	if n := len(cp.state); n > 0 {
		r.skip(torch.Skipped{Path: partKey, Tensors: n, What: wording.Count(n, "tensor") + " of optimizer state"})
	}
	files := []*file{r.head}
	for _, p := range r.parts {
		files = append(files, p.file)
		cp.files = append(cp.files, p.name)
	}
	at := make(map[string]bool) // by path: a value that all processes have is listed once
	for i, f := range files {
		if cp.dangerous == "" {
			cp.dangerous = f.dangerous
		}
		for _, s := range f.skipped {
			if !at[s.Path] && !slices.Contains(usedKeys, s.Path) {
				at[s.Path] = true
				r.skip(s)
			}
		}
		for _, t := range f.tensors {
			if !at[t.Name] && !r.taken(i > 0, t.Name) {
				at[t.Name] = true
				r.skip(torch.Skipped{Path: t.Name, What: "a tensor that is not a weight", Tensors: 1})
			}
		}
	}
}

// taken reports whether the tensor at a path is a weight or optimizer state.
func (r *reader) taken(part bool, path string) bool {
	if !part {
		return strings.HasPrefix(path, modulePrefix) || strings.HasPrefix(path, "frozen_param_fragments.")
	}
	return r.state[path] || strings.HasPrefix(path, partKey+"."+groupsKey+".") ||
		strings.HasPrefix(path, partKey+"."+groupsKey3+".")
}
