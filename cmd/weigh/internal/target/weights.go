// The tensors of a target, for verbs that read values.

package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/filetype"
)

// Weights are the models of a target. The folder of a pipeline has several, each with its
// own names.
type Weights struct {
	At    *Target
	Parts []*checkpoint.Checkpoint

	unpacking *unpacking // nil unless packed weights are shown as their values
}

// OpenWeights opens the models of a target. It does not open copies and adapters, which
// are read when they are named. Nil formats are all Formats.
func OpenWeights(ctx context.Context, sess *cli.Session, name Name, lenient bool, formats ...checkpoint.Format) (
	*Weights, error) {
	at, sets, err := Find(ctx, sess, name, checkpoint.Options{Opener: safetensors.Opener{Lenient: lenient},
		Formats: formats})
	if err != nil {
		return nil, err
	}
	w := &Weights{At: at}
	for _, set := range sets {
		if set.Counted() {
			cp := set.Open()
			w.Parts = append(w.Parts, cp)
			sess.Watch(cp.Unchanged)
		}
	}
	if len(w.Parts) == 0 && len(sets) > 0 {
		return nil, cli.Usagef("%q has no model of its own: name one of its files, such as %q", name,
			at.Path(sets[0].Name))
	}
	for _, cp := range w.Parts {
		for _, note := range at.Notes(ctx, cp) {
			sess.Notice("%s", note)
		}
	}
	return w, nil
}

// SeveralModels returns the error of a target with n models where one is expected.
func SeveralModels(name Name, n int, first string) error {
	return cli.Usagef("%q has %d models: name one of them, such as %q", name, n, first)
}

// Close closes all files.
func (w *Weights) Close() {
	for _, cp := range w.Parts {
		cp.Close()
	}
}

// Fault returns the error of reading the weights with the name by which the user can open
// the broken file: two targets may have files of the same name.
func (w *Weights) Fault(err error) error { return w.At.Fault(err) }

// Fault returns the error of reading a file of the target, as Weights.Fault does.
func (t *Target) Fault(err error) error {
	var in *fs.PathError
	var v *safetensors.Violation
	if !errors.As(err, &in) || !errors.As(in.Err, &v) {
		return err
	}
	return FileFault(t.Path(in.Path), v)
}

// FileFault returns the error of a file that violates a rule, with the fix for its path. A file of another
// format is not called invalid.
func FileFault(path string, v *safetensors.Violation) error {
	if v.Rule != safetensors.RuleNotSafetensors && v.Rule != checkpoint.RuleFormatUnsupported {
		what := "is invalid"
		if v.Rule == safetensors.RuleLimit {
			what = "exceeds a limit"
		}
		return fmt.Errorf("%q %s: %w. %s", path, what, v, filetype.For(v.Fix, path))
	}
	with := *v
	with.Fix = filetype.For(v.Fix, path)
	if v.Rule == checkpoint.RuleFormatUnsupported {
		return &unsupported{path, &with}
	}
	return fmt.Errorf("%q: %w", path, &with)
}

// An unsupported is the error of a valid file whose tensors safetensors cannot represent.
type unsupported struct {
	path string
	v    *safetensors.Violation
}

// Error returns the error as one line, without bytes and rule.
func (u *unsupported) Error() string { return fmt.Sprintf("%q: %s", u.path, u.v.Detail) }

// Unwrap returns the violation.
func (u *unsupported) Unwrap() error { return u.v }

// Tensors returns all tensors, in the order of shards and headers. It reads only headers.
func (w *Weights) Tensors(ctx context.Context) ([]*safetensors.Tensor, error) {
	var list []*safetensors.Tensor
	for _, cp := range w.Parts {
		tensors, err := Located(ctx, cp)
		if err != nil {
			return nil, err
		}
		if w.unpacking != nil {
			list = append(list, w.unpacking.plain(ctx, cp, tensors)...)
			continue
		}
		for _, t := range tensors {
			list = append(list, t.Tensor)
		}
	}
	return list, nil
}

// Find returns the named tensor, or nil if there is none.
func (w *Weights) Find(ctx context.Context, name string) (*safetensors.Tensor, error) {
	var holder *checkpoint.Checkpoint
	for _, cp := range w.Parts {
		switch {
		case !has(ctx, cp, name):
		case holder != nil:
			return nil, cli.Usagef("tensor %q is in %q and in %q: name one of them as the target",
				name, w.At.Path(holder.Set().Name), w.At.Path(cp.Set().Name))
		default:
			holder = cp
		}
	}
	if holder != nil {
		t, err := holder.Tensor(ctx, name)
		if err != nil || w.unpacking == nil {
			return t, err
		}
		if values, err := w.unpacking.values(ctx, holder, name, t); values != nil || err != nil {
			return values, err
		}
		return t, nil
	}
	for i := 0; i < len(w.Parts) && w.unpacking != nil; i++ {
		if values, err := w.unpacking.values(ctx, w.Parts[i], name, nil); values != nil || err != nil {
			return values, err
		}
	}
	return nil, nil
}

// has reports whether a checkpoint has the named tensor, by its index or by those headers
// that can be read.
func has(ctx context.Context, cp *checkpoint.Checkpoint, name string) bool {
	if index := cp.Index(); index != nil {
		return index.Lookup(name) != nil
	}
	return slices.ContainsFunc(cp.Shards(), func(shard string) bool {
		h, err := cp.Header(ctx, shard)
		return err == nil && h.Lookup(name) != nil
	})
}

// Absent returns the error of a tensor that does not exist, or the error of reading the
// shard that may have it.
func (w *Weights) Absent(ctx context.Context, name string) error {
	for _, cp := range w.Parts {
		if _, err := cp.Tensor(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	names := func(yield func(string) bool) {
		for _, cp := range w.Parts {
			for t, err := range cp.Tensors(ctx) {
				if err == nil && !yield(t.Name) {
					return
				}
			}
		}
	}
	nearest := cli.Nearest
	if strings.ContainsAny(name, "*?[") {
		nearest = cli.NearestTo
	}
	return cli.Usagef("no tensor %q in %q: %s", name, w.At.Path(w.At.Within), nearest(name, names))
}
