// The tensors of a checkpoint: their names, and the chunks that they are read from.

package dcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/chunked"
	"github.com/weightools/safetensors/pickle/internal/dtypes"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// Tensors are the tensors of a distributed checkpoint. They implement [checkpoint.Tensors] and [checkpoint.Describer].
type Tensors struct {
	root    string // the path that Tensors are taken from; see torch.Checkpoint
	list    []*safetensors.Tensor
	skipped []torch.Skipped
	meta    *metadata
	opts    *torch.Options
	objects []store.Object  // of the files of meta, in their order
	ctx     context.Context // of reads
}

// open reads the metadata, and finds the files.
func open(ctx context.Context, o *Options, head store.Object, beside checkpoint.Beside) (*Tensors, error) {
	opts := &torch.Options{}
	if o.Torch != nil {
		opts = o.Torch
	}
	meta, err := readMetadata(head.ReaderAt(ctx), head.Size(), opts.Pickle)
	if err != nil {
		return nil, err
	}
	t := &Tensors{meta: meta, opts: opts, ctx: ctx}
	faults := faultList{}
	if err := t.openFiles(beside, &faults); err != nil {
		return nil, err
	}
	chosen, root, err := choose(meta.entries, opts, o.Optimizer)
	if err != nil {
		return nil, err
	}
	t.root = root
	for i := range meta.entries {
		e := &meta.entries[i]
		switch name := chosen[i]; {
		case name == "":
			t.skip(e)
		default:
			t.add(name, e, &faults)
		}
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	if len(t.list) == 0 {
		return nil, checkpoint.Unsupported("Open the folder that has the weights.", "the distributed checkpoint contains no "+
			"tensors of a model")
	}
	return t, nil
}

// openFiles opens the files, and reports those that are missing or too short.
func (t *Tensors) openFiles(beside checkpoint.Beside, faults *faultList) error {
	ends := make([]int64, len(t.meta.files))
	values := make([]int, len(t.meta.files))
	first := make([]string, len(t.meta.files))
	for i := range t.meta.entries {
		e := &t.meta.entries[i]
		for _, c := range e.chunks {
			if c.file >= 0 {
				ends[c.file] = max(ends[c.file], c.off+c.size)
				values[c.file]++
				first[c.file] = cmp.Or(first[c.file], e.key)
			}
		}
	}
	type opened struct {
		object store.Object
		err    error
	}
	const parallel = 16
	read := func(ctx context.Context, i int) opened {
		object, err := beside(t.ctx, t.meta.files[i])
		return opened{object, err}
	}
	for i, one := range bytesio.Ahead(t.ctx, parallel, len(t.meta.files), read) {
		name := wording.Quote(t.meta.files[i])
		switch {
		case errors.Is(one.err, fs.ErrNotExist):
			faults.add("", "%s is missing, and with it %s, the first of %s", name, wording.Count(values[i], "part"),
				wording.Quote(first[i])).Rule = checkpoint.RuleShardMissing
		case one.err != nil:
			return one.err
		case one.object.Size() < ends[i]:
			faults.add("", "%s is truncated: it has %s, but the metadata refers to %d", name,
				wording.Count(one.object.Size(), "byte"), ends[i])
		}
		t.objects = append(t.objects, one.object)
	}
	return t.ctx.Err()
}

// add adds a tensor under a name.
func (t *Tensors) add(name string, e *entry, faults *faultList) {
	dtype, ok := dtypes.Named(e.dtype)
	if !ok {
		t.skipped = append(t.skipped, torch.Skipped{Path: e.key, Tensors: 1, Unsupported: true,
			What: fmt.Sprintf("a tensor of %s, a dtype that safetensors lacks", wording.Quote(e.dtype))})
		return
	}
	var pieces []chunked.Piece
	seen := make(map[string]bool)
	for i := range e.chunks {
		c := &e.chunks[i]
		box := packed(c.at) + packed(c.shape)
		switch {
		case seen[box]:
			continue // a replica
		case c.packed:
			t.skipped = append(t.skipped, torch.Skipped{Path: e.key, Tensors: 1, Unsupported: true,
				What: "a tensor in an archive that an extension of PyTorch has compressed"})
			return
		case c.file < 0:
			faults.add(e.key, "the metadata does not say where the part of %s at %v is", wording.Quote(e.key), c.at)
			return
		}
		seen[box] = true
		p := &piece{t: t, e: e, c: c, dtype: dtype}
		if need := p.size(); c.size < need {
			faults.add(e.key, "the part of %s at %v has %s, but its archive has only %d", wording.Quote(e.key), c.at,
				wording.Count(need, "byte"), c.size)
			return
		}
		pieces = append(pieces, chunked.Piece{At: c.at, Shape: c.shape, Source: p.source})
	}
	r, err := chunked.New(e.shape, int64(dtype.Bits()/8), pieces)
	if err != nil {
		faults.add(e.key, "%s of shape %v: %v", wording.Quote(e.key), e.shape, err)
		return
	}
	info := safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: slices.Clone(e.shape),
		Offsets: safetensors.Span{End: r.Size()}}
	t.list = append(t.list, &safetensors.Tensor{TensorInfo: info, ReaderAt: r})
}

// maxSkipped is the maximum number of skipped values that are listed.
const maxSkipped = 1000

// skip records a value that is not part of the model.
func (t *Tensors) skip(e *entry) {
	s := torch.Skipped{Path: e.key, What: "a pickled value", Values: 1}
	if e.tensor {
		s = torch.Skipped{Path: e.key, What: fmt.Sprintf("a tensor of shape %v", e.shape), Tensors: 1}
	}
	if n := len(t.skipped); n >= maxSkipped {
		last := &t.skipped[n-1]
		last.Path, last.Tensors, last.Values = "…", last.Tensors+s.Tensors, last.Values+s.Values
		last.What = fmt.Sprintf("%s and %s more", wording.Count(last.Tensors, "tensor"),
			wording.Count(last.Values, "other value"))
		return
	}
	t.skipped = append(t.skipped, s)
}

// All implements [checkpoint.Tensors].
func (t *Tensors) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, one := range t.list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// Close does nothing: the files are closed with the file .metadata.
func (t *Tensors) Close() error { return nil }

// Files returns the names of the files that have the values, below the folder of the checkpoint.
func (t *Tensors) Files() []string { return slices.Clone(t.meta.files) }

// Skipped returns the values that are not among the tensors.
func (t *Tensors) Skipped() []torch.Skipped { return t.skipped }

// Describe implements [checkpoint.Describer].
func (t *Tensors) Describe() checkpoint.Description {
	d := checkpoint.Description{Variant: "pytorch-distcp", Metadata: map[string]string{"format": "pt"}}
	if t.meta.report.Verdict == pickle.Dangerous {
		d.Notes = append(d.Notes, "dangerous to load: weigh scan says why")
		d.Dangerous = t.meta.report.Worst()
	}
	d.Notes = append(d.Notes, "distributed checkpoint of "+wording.Count(len(t.meta.files), "file"))
	if t.root != "" {
		d.Notes = append(d.Notes, "shows the tensors under "+wording.Quote(t.root))
	}
	var others []torch.Skipped
	states := 0
	for _, s := range t.skipped {
		if s.Tensors > 0 && !s.Unsupported && isOptimizer(s.Path) {
			states += s.Tensors
		} else {
			others = append(others, s)
		}
	}
	if states > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("skips %s of optimizer state: `weigh convert --with-optimizer FILE -o "+
			"NEW.safetensors` writes them", wording.Count(states, "tensor")))
	}
	d.Notes = append(d.Notes, torch.NotesOf(others)...)
	return d
}

// A faultList collects violations.
type faultList struct {
	list []error
	more int
}

// add returns a new violation, and keeps it unless there are many.
func (f *faultList) add(tensor, format string, args ...any) *safetensors.Violation {
	const most = 1000
	v := checkpoint.Damaged(format, args...)
	v.Tensor = tensor
	v.Fix = "Copy all files of the folder again from where the training wrote them."
	if len(f.list) < most {
		f.list = append(f.list, v)
	} else {
		f.more++
	}
	return v
}

// err returns the violations, the one of missing files first, or nil.
func (f *faultList) err() error {
	if f.more > 0 {
		f.list = append(f.list, checkpoint.Damaged("%s more of the distributed checkpoint", wording.Count(f.more, "fault")))
	}
	return errors.Join(f.list...)
}

// isOptimizer reports whether a key of a checkpoint is one that programs give to the state of the optimizer, or of the
// training.
func isOptimizer(key string) bool {
	word, _, _ := strings.Cut(key, ".")
	return slices.Contains(trainingKeys, word)
}
