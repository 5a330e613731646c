// Universal checkpoints, in which each weight has a folder.

package zero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
)

// weightKey is the key of weights in a universal checkpoint, and stateKeys are the keys of the optimizer state.
// (deepspeed/checkpoint/ds_to_universal.py of DeepSpeed 0.19.8.)
const weightKey = "fp32"

var stateKeys = []string{"exp_avg", "exp_avg_sq", "step"}

// universalFolder has the folders of the weights.
const universalFolder = "zero"

// universalFile returns the path of a file of a weight.
func universalFile(weight, key string) string { return path.Join(universalFolder, weight, key+".pt") }

// isUniversal reports whether a base name belongs to the file of a weight.
func isUniversal(base string) bool {
	key, ok := strings.CutSuffix(base, ".pt")
	return ok && (key == weightKey || slices.Contains(stateKeys, key))
}

// has reports whether the folder of the first weight has a file for the key.
func (r *reader) has(ctx context.Context, key string) bool {
	for _, group := range r.weights {
		for _, w := range group {
			_, err := r.beside(ctx, universalFile(w.name, key))
			return err == nil
		}
	}
	return false
}

// universal makes the tensors of a universal checkpoint.
func (r *reader) universal(ctx context.Context) error {
	r.made.universal = true
	ranks, _ := whole(get(r.head.top, "dp_world_size"))
	r.made.Ranks = int(min(max(ranks, 1), maxRanks))
	if r.stage = 2; r.head.name == dividedHead {
		r.stage = 3
	}
	r.made.Stage = r.stage
	divided, err := r.otherWeights(ctx)
	if err != nil {
		return err
	}
	keys := []string{weightKey}
	for _, key := range stateKeys {
		if !r.has(ctx, key) {
			continue
		}
		if keys = append(keys, key); !r.Optimizer {
			keys = keys[:1]
			r.skip(torch.Skipped{Path: universalFolder, What: "the state of the optimizer", Tensors: 1})
			r.made.hasState = true
			break
		}
	}
	var weights []weight
	for _, group := range r.weights {
		weights = append(weights, group...)
	}
	for _, key := range keys {
		if err := r.openUniversal(ctx, weights, key); err != nil {
			return err
		}
	}
	if err := r.frozen(ctx); err != nil {
		return err
	}
	if err := r.shared(); err != nil {
		return err
	}
	return r.rest(divided)
}

// otherWeights adds the weights whose names are in the model files of other ranks of tensor and pipeline parallelism. It
// reports whether there are such ranks: then the weights in the model files are slices.
func (r *reader) otherWeights(ctx context.Context) (divided bool, err error) {
	const most = 1 << 12
	known := make(map[string]bool)
	for _, group := range r.weights {
		for _, w := range group {
			known[w.name] = true
		}
	}
	n, _ := whole(get(r.head.top, "mp_world_size"))
	for rank := 1; rank < int(min(n, most)); rank++ {
		name := fmt.Sprintf("%s%02d%s", modelBegin, rank, modelEnd)
		if r.stage == 3 {
			name = dataBegin + "0_" + name
		}
		f, err := r.openBeside(ctx, name, r.beside, fmt.Sprintf("mp_world_size of %s is %d", wording.Quote(r.head.name), n))
		if err != nil {
			return true, err
		}
		r.made.files = append(r.made.files, name)
		for shapes := range get(f.top, "param_shapes").Items() {
			group, err := weightsOf(shapes)
			if err != nil {
				return true, checkpoint.Damaged("%s: %v", wording.Quote(name), err)
			}
			for _, w := range group {
				if !known[w.name] {
					known[w.name] = true
					r.weights[0] = append(r.weights[0], w)
				}
			}
		}
	}
	return n > 1, nil
}

// openUniversal opens a file of each weight.
func (r *reader) openUniversal(ctx context.Context, weights []weight, key string) error {
	type opened struct {
		*safetensors.Tensor
		name, dangerous string
		err             error
	}
	open := func(_ context.Context, i int) opened {
		w := &weights[i]
		name := universalFile(w.name, key)
		f, err := r.openBeside(ctx, name, r.beside, "the model has a weight of that name")
		if errors.Is(err, fs.ErrInvalid) {
			err = checkpoint.Damaged("%s: %v", wording.Quote(r.head.name), err)
		}
		if err != nil {
			return opened{err: err}
		}
		t := f.at("param")
		if t == nil && len(f.tensors) == 1 { // a number of steps
			t = f.tensors[0]
		}
		if t == nil {
			return opened{err: checkpoint.Damaged("%s has no tensor %q", wording.Quote(name), "param")}
		}
		if key == weightKey || len(t.Shape) > 0 {
			t = w.shaped(t)
		}
		return opened{Tensor: t, name: name, dangerous: f.dangerous}
	}
	for i, one := range bytesio.Ahead(ctx, parallel, len(weights), open) {
		if one.err != nil {
			return one.err
		}
		name := weights[i].name
		if key != weightKey {
			name = stateName(name, key)
		}
		if r.made.dangerous == "" {
			r.made.dangerous = one.dangerous
		}
		r.made.files = append(r.made.files, one.name)
		if err := r.add(one.Rename(name)); err != nil {
			return err
		}
	}
	return nil
}

// shaped returns the tensor in the shape of the weight, if it was flattened. A weight that was divided among several
// ranks has another shape than each of them recorded.
func (w *weight) shaped(t *safetensors.Tensor) *safetensors.Tensor {
	if len(t.Shape) != 1 || t.NumElems() != w.elements {
		return t
	}
	return tensor(t.Name, t.Dtype, w.shape, t)
}
