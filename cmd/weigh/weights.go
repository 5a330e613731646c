// Weights: the tensors of a target, for verbs that read values.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
)

// weights are the checkpoints at a target. There is more than one in the folder
// of a pipeline, each with its own names.
type weights struct {
	at    *target.Target
	parts []*checkpoint.Checkpoint
}

// openWeights opens what is counted at a target: a copy of it in another
// precision is read when it is named.
func openWeights(ctx context.Context, sess *cli.Session, verb, target string, lenient bool) (*weights, error) {
	if target == "-" {
		return nil, cli.Usagef("%s needs a file or a folder: standard input has no bytes to go back to", verb)
	}
	opts := checkpoint.Options{Opener: safetensors.Opener{Lenient: lenient}}
	at, err := locate(ctx, sess, target, opts)
	if err != nil {
		return nil, err
	}
	sets, err := at.Sets(ctx)
	if err != nil {
		return nil, err
	}
	addInputsOf(sess, at, sets)
	w := &weights{at: at}
	for _, set := range sets {
		if set.Counted() {
			w.parts = append(w.parts, set.Open())
		}
	}
	if len(w.parts) == 0 && len(sets) > 0 {
		return nil, cli.Usagef("%q has no model of its own: name one of its files, such as %q", printable(target), at.Path(sets[0].Name))
	}
	for _, cp := range w.parts {
		for _, note := range at.Notes(ctx, cp) {
			sess.Notice("%s", note)
		}
	}
	return w, nil
}

// close closes all files.
func (w *weights) close() {
	for _, cp := range w.parts {
		cp.Close()
	}
}

// fault returns the error of reading the weights with the name by which the user can open
// what is broken: two targets may well have a model.safetensors each.
func (w *weights) fault(err error) error {
	var in *fs.PathError
	var v *safetensors.Violation
	switch {
	case !errors.As(err, &in) || !errors.As(in.Err, &v):
		return err
	case v.Rule == safetensors.RuleNotSafetensors:
		return otherFormat(w.at.Path(in.Path), v)
	}
	return fmt.Errorf("%q is broken: %w: weigh check says more", w.at.Path(in.Path), v)
}

// otherFormat returns the error of a file that is not a safetensors file, with what to do about it.
func otherFormat(path string, v *safetensors.Violation) error {
	return fmt.Errorf("%q: %w. %s", path, v, filetype.For(v.Fix, path))
}

// find returns the named tensor, or nil if there is none.
func (w *weights) find(ctx context.Context, name string) (*safetensors.Tensor, error) {
	var holder *checkpoint.Checkpoint
	for _, cp := range w.parts {
		switch {
		case !has(ctx, cp, name):
		case holder != nil:
			return nil, cli.Usagef("tensor %q is in %q and in %q: name one of them as the target",
				name, w.at.Path(holder.Set().Name), w.at.Path(cp.Set().Name))
		default:
			holder = cp
		}
	}
	if holder == nil {
		return nil, nil
	}
	return holder.Tensor(ctx, name)
}

// has says whether a checkpoint has the named tensor, as far as its index tells,
// or those headers that can be read.
func has(ctx context.Context, cp *checkpoint.Checkpoint, name string) bool {
	if index := cp.Index(); index != nil {
		return index.Lookup(name) != nil
	}
	return slices.ContainsFunc(cp.Shards(), func(shard string) bool {
		h, err := cp.Header(ctx, shard)
		return err == nil && h.Lookup(name) != nil
	})
}

// absent returns the error of a tensor that is not there, or that of reading
// where it might be.
func (w *weights) absent(ctx context.Context, name string) error {
	for _, cp := range w.parts {
		if _, err := cp.Tensor(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	advice := "weigh info lists those there are"
	if near := w.near(ctx, name); len(near) > 0 {
		advice = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("there is no tensor %q in %q: %s", name, w.at.Path(w.at.Within), advice)
}

// near returns the names most like the given one, at most three. Names of
// tensors are long and alike, so what counts is how much of a name is the same at
// its start and at its end, and it has to be most.
func (w *weights) near(ctx context.Context, name string) []string {
	const most = 3
	type candidate struct {
		name  string
		alike int // bytes
	}
	var best []candidate
	for _, cp := range w.parts {
		for t, err := range cp.Tensors(ctx) {
			if err != nil {
				continue
			}
			alike := commonEnds(strings.ToLower(name), strings.ToLower(t.Name))
			if 3*alike < 2*max(len(name), len(t.Name)) {
				continue
			}
			best = append(best, candidate{t.Name, alike})
			slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
			best = best[:min(most, len(best))]
		}
	}
	var names []string
	for _, c := range best {
		names = append(names, `"`+typeset.Name(c.name)+`"`)
	}
	return names
}

// commonEnds returns how many bytes a and b have in common at their start and,
// in what is left, at their end.
func commonEnds(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return n + end
}
