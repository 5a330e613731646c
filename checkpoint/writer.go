// Writing a checkpoint: every shard and the index, or nothing.

package checkpoint

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/ahead"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// A Writer writes checkpoints to local folders. The zero Writer writes one file,
// "model.safetensors". It is for any number of goroutines at once, but a folder
// is for one of them.
type Writer struct {
	// Encoder encodes each shard, and so all have its Metadata.
	Encoder safetensors.Encoder

	// MaxShard is the size of data, in bytes, past which a new shard begins.
	// A larger tensor has a shard of its own. 0 means no limit. Each shard's
	// header comes on top of that. The libraries of Hugging Face have 5e9.
	MaxShard int64

	// Split says how many of the tensors each shard has, in their order, in place of
	// MaxShard: for a model that keeps its shards. It must count them all. Nil means that
	// MaxShard decides.
	Split []int

	// Stem is what the names of files begin with. "" means "model".
	Stem string

	// IndexMetadata has the members of the index's "metadata" besides total_size,
	// each value as JSON.
	IndexMetadata map[string]string

	// New makes Write refuse a folder that has a file of a name which it would
	// write: when it begins, and again before it gives names.
	New bool

	// Replace is leave to remove what the folder has of the stem, but Write does
	// not write again: STEM.safetensors, its index, and shards of other numbers.
	// Without it, Write refuses a folder where some would be left, for there they
	// would pass for a part of the model, or for another one.
	Replace bool

	// Wrote is called, if it is not nil, with how many bytes were written since it
	// was last called, headers included: every 64 MiB at least, by any goroutine.
	Wrote func(bytes int64)

	// Verify is called, if it is not nil, for every tensor once it is written and before
	// any file has its name: with the tensor as it was given, and as it is read from the
	// new file, by several goroutines at once, while others are written. With its first
	// error Write ends, and dir has what it had.
	Verify func(ctx context.Context, was, is *safetensors.Tensor) error

	// Ready is called, if it is not nil, once all files are written and verified, and
	// before any has its name: the last moment to find that what they replace is not
	// what was read. With its error Write ends, and dir has what it had.
	Ready func() error
}

// Write writes tensors to dir, which is made if there is none: to STEM.safetensors
// if they fit one shard, and otherwise to STEM-00001-of-00003.safetensors and so
// on, with STEM.safetensors.index.json to say what is where. Which tensor is in
// which shard depends on their order and their sizes, as for huggingface_hub.
//
// What is wrong with the tensors' entries is a *[safetensors.Violation], and that
// files would be left beside the new ones wraps [fs.ErrExist]; nothing was touched
// then. Other errors are of type *[fs.PathError], or wrap one. When ctx is done,
// Write ends soon, with its cause.
//
// # Whole or absent
//
// Nothing has its name before all is written and on the disk. Until then the files
// are in a hidden folder in dir, called ".NAME.tmp-" and ten letters or digits;
// an error removes it, and dir has what it had. Files of the same names are
// replaced without asking, and their modes are kept. Of a symbolic link, the link
// is replaced. The tensors may come from files that are replaced or removed, except
// on Windows, where a file that is open can be neither: the error says so.
//
// Then the shards get their names, and the index after them. Where an older set
// has the same names, its index is moved to "old" in the hidden folder first, and
// then its shards, before the first new one appears. So readers find an index only
// with its own shards, and never shards of both. What Replace removes it removes
// last.
//
// A process that is killed leaves the hidden folder. If it was writing, the older
// set is in its place. If it was giving names, which takes moments, there may be no
// index; each file of both sets is still there, under its name or by its name in
// the hidden folder. If it was removing, the new set is whole, and some of the older
// one is beside it. Write never removes what an earlier one has left hidden.
//
// It reads each tensor once, and two shards at a time, with a buffer of 512 KiB for
// each. What it writes depends on nothing but its arguments.
func (w *Writer) Write(ctx context.Context, dir string, tensors ...*safetensors.Tensor) error {
	p, err := w.plan(dir, tensors)
	if err != nil {
		return err
	}
	return p.Write(ctx)
}

// Write writes what was planned, as [Writer.Write] does. It looks at the folder once
// more, which may have changed since.
func (p *Plan) Write(ctx context.Context) error {
	if err := p.look(); err != nil {
		return err
	}
	if err := p.refused(); err != nil {
		return err
	}
	set, err := atomicfile.NewSet(p.dir, p.names()...)
	if err != nil {
		return err
	}
	set.New = p.w.New
	defer set.Abort()
	if err := p.fill(ctx, set); err != nil {
		return atPath("write", p.dir, err)
	}
	if p.w.Ready != nil {
		if err := p.w.Ready(); err != nil {
			return err
		}
	}
	if err := set.Commit(); err != nil {
		return err
	}
	for _, name := range p.Left {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			return fmt.Errorf("checkpoint: the new files are in place, but one that they replace is, too: %w", err)
		}
	}
	return nil
}

// refused returns why the plan must not be carried out, or nil.
func (p *Plan) refused() error {
	switch {
	case len(p.Replaced) > 0 && p.w.New:
		return fmt.Errorf("checkpoint: folder %q has %s already, and Writer.New is set: %w", p.dir, quote(p.Replaced[0]), fs.ErrExist)
	case len(p.Left) > 0 && !p.w.Replace:
		return fmt.Errorf("checkpoint: folder %q has %s of another checkpoint called %s, the first %s, which would stay beside the new ones; write to another folder, or set Writer.Replace to have them removed: %w",
			p.dir, count(len(p.Left), "file"), quote(p.stem), quote(p.Left[0]), fs.ErrExist)
	}
	return nil
}

// fill writes the files of a set.
func (p *Plan) fill(ctx context.Context, set *atomicfile.Set) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	one := func(ctx context.Context, i int) error { return p.writeShard(ctx, cancel, set, &p.Shards[i]) }
	// While one shard waits for the disk to have it, the next can be read.
	const atOnce = 2
	for _, err := range ahead.Each(ctx, atOnce, len(p.Shards), one) {
		if err != nil {
			return context.Cause(ctx)
		}
	}
	if p.Index != "" {
		err := set.Write(p.Index, func(f io.Writer) error {
			_, err := f.Write(p.text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
