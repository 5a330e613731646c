// The checkpoint: named tensors in any number of files.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/store"
)

// A Checkpoint is a set of shards that is open for reading. Any number of goroutines may use it.
// Each shard that was read keeps a file descriptor, or an object of its store, until Close.
type Checkpoint struct {
	set    *Set
	opts   *Options
	shards []*shard.Shard
	byPath map[string]*shard.Shard
}

// Open opens the checkpoint at ref; see [store.Ref]. It reads the index, if there is one, but no
// shard. In a folder with several files and no index it reads their headers, to find out which
// belong together, and compares files of the same size; see [Options].HeadersOnly.
//
// The error is a *[NoWeightsError] if a folder has no weights, and wraps [fs.ErrNotExist] if the
// file or folder does not exist. If a folder has several models, the error names them; use
// [Discover].
func Open(ctx context.Context, ref string, opts *Options) (*Checkpoint, error) {
	from, path, err := Locate(ctx, ref, opts)
	if err != nil {
		return nil, err
	}
	cp, err := New(ctx, from, path, opts)
	var none *NoWeightsError
	if errors.As(err, &none) && none.Path == "" {
		none.Path = store.Redact(ref)
	}
	return cp, err
}

// New opens the checkpoint at path in from, as Open does. The path names a file or a folder;
// "" is the folder of everything in from.
func New(ctx context.Context, from store.Store, path string, opts *Options) (*Checkpoint, error) {
	f, set, err := find(ctx, from, path, opts)
	if err != nil {
		return nil, err
	}
	if set == nil {
		if set, err = f.model(ctx); err != nil {
			return nil, err
		}
	}
	return set.Open(), nil
}

// Open opens the set. It reads nothing.
func (s *Set) Open() *Checkpoint {
	c := &Checkpoint{set: s, opts: s.found.opts, byPath: make(map[string]*shard.Shard, len(s.Shards))}
	heads := s.heads()
	for i, p := range s.Shards {
		one := shard.New(p, s.found.from, s.found.shards, s.found.known.Recall(p))
		one.Head = heads[i]
		c.shards = append(c.shards, one)
		c.byPath[p] = one
	}
	if s.object != nil {
		c.shards[0].Adopt(s.object)
		s.object = nil
	}
	return c
}

// Close closes every shard that was opened. Concurrent reads end with an error.
func (c *Checkpoint) Close() error {
	var errs []error
	for _, s := range c.shards {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Unchanged returns an error that wraps [store.ErrChanged] if a shard that was read has changed
// since: what was read may be a mixture of two states. Call it after the last read, and before
// anyone relies on the result; the checkpoint may be closed. Reads of shards on a server fail by
// themselves.
func (c *Checkpoint) Unchanged() error {
	for _, s := range c.shards {
		if err := s.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// Set returns the set of the checkpoint. It must not be changed.
func (c *Checkpoint) Set() *Set { return c.set }

// Index returns the checkpoint's index, or nil if it has none. It must not be
// changed.
func (c *Checkpoint) Index() *Index { return c.set.index }

// Shards returns the paths of the shards in their store. With an index, these are the shards that
// it names, missing ones included, except those with an invalid name. Numbered shards are in the
// order of their numbers.
func (c *Checkpoint) Shards() []string { return append([]string(nil), c.set.Shards...) }

// Header returns the header of a shard, which is one of Shards. It is read once, and must not be
// changed. The error wraps a *[safetensors.Violation] if the shard is invalid or, with the rule
// [RuleShardMissing], does not exist, and [fs.ErrNotExist] if the checkpoint has no shard of that
// path.
func (c *Checkpoint) Header(ctx context.Context, shard string) (*safetensors.Header, error) {
	s, err := c.named(shard)
	if err != nil {
		return nil, err
	}
	return c.header(ctx, s, "")
}

// named returns the shard of that path.
func (c *Checkpoint) named(path string) (*shard.Shard, error) {
	if s, ok := c.byPath[path]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("checkpoint: %s is not a shard of %s: %w", quote(path), quote(c.set.Name), fs.ErrNotExist)
}

// ReaderAt returns a reader of the file that the Header of that shard describes: a safetensors shard itself, valid or
// not, or the safetensors file that the tensors of a shard of another format would make; they are read from the shard.
// Reads end with an error once ctx is done.
func (c *Checkpoint) ReaderAt(ctx context.Context, shard string) (io.ReaderAt, error) {
	s, err := c.named(shard)
	if err == nil && !strings.HasSuffix(shard, naming.WeightsSuffix) {
		_, err = s.Read(ctx) // to find out its format
	}
	if err != nil {
		return nil, err
	}
	source, err := c.data(ctx, s, "")
	if err != nil {
		return nil, err
	}
	return source.Reader(), nil
}

// Object returns the open file of that shard. It is closed with the checkpoint.
func (c *Checkpoint) Object(ctx context.Context, shard string) (store.Object, error) {
	s, err := c.named(shard)
	if err != nil {
		return nil, err
	}
	source, err := c.data(ctx, s, "")
	if err != nil {
		return nil, err
	}
	return source.Object, nil
}

// Refuses returns the lowest severity of violations for which a shard is not used, which depends
// on Options.Opener.
func (c *Checkpoint) Refuses() safetensors.Severity { return c.set.found.shards.Refuses() }

// Describe describes a shard of another format. The Description of a safetensors shard is
// empty.
func (c *Checkpoint) Describe(ctx context.Context, shard string) (Description, error) {
	if _, err := c.Header(ctx, shard); err != nil {
		return Description{}, err
	}
	k, err := c.byPath[shard].Read(ctx)
	if err != nil {
		return Description{}, err
	}
	return Description{Variant: k.Format, Notes: k.Notes}, nil
}

// Stored returns the header of a shard as Header does, but that of [Description] if the file stores tensors in its own way.
func (c *Checkpoint) Stored(ctx context.Context, shard string) (*safetensors.Header, error) {
	h, err := c.Header(ctx, shard)
	if err != nil || c.byPath[shard].Stored() == nil {
		return h, err
	}
	return c.byPath[shard].Stored(), nil
}

// Opened returns the tensors that the [Format] of the shard returned, and nil for a safetensors
// shard. They are closed with the checkpoint.
func (c *Checkpoint) Opened(ctx context.Context, shard string) (Tensors, error) {
	if _, err := c.Header(ctx, shard); err != nil {
		return nil, err
	}
	source, err := c.data(ctx, c.byPath[shard], "")
	if err != nil {
		return nil, err
	}
	tensors, _ := source.Value().(Tensors)
	return tensors, nil
}

// Tensor returns the named tensor. The error wraps [fs.ErrNotExist] if the tensor does not exist. If
// its shard is missing, the error wraps only a *[safetensors.Violation] of [RuleShardMissing], so
// that a missing shard is not mistaken for an optional tensor. Reads of the tensor end with an
// error once ctx is done.
//
// With an index, Tensor reads at most the header of the shard that the index names for the tensor,
// and an invalid index is an error. Without an index it reads all headers, and it is an error if
// two shards have the tensor.
func (c *Checkpoint) Tensor(ctx context.Context, name string) (*safetensors.Tensor, error) {
	if err := c.set.Fault(); err != nil {
		return nil, err
	}
	if c.set.index != nil {
		return c.listed(ctx, name)
	}
	var holder *shard.Shard
	var failed error // of reading shards
	for i, r := range c.headers(ctx) {
		switch {
		case r.err != nil:
			failed = errors.Join(failed, r.err)
		case r.header.Lookup(name) == nil:
		case holder != nil:
			return nil, fmt.Errorf("checkpoint: tensor %s is in shard %s and in shard %s, and there is no index to "+
				"choose one", quote(name), quote(holder.Path), quote(c.shards[i].Path))
		default:
			holder = c.shards[i]
		}
	}
	switch {
	case holder != nil:
		return c.from(ctx, holder, name)
	case failed != nil:
		return nil, fmt.Errorf("checkpoint: tensor %s is in no shard that could be read: %w", quote(name), failed)
	}
	return nil, fmt.Errorf("checkpoint: there is no tensor %s in %s: %w", quote(name), quote(c.set.Name),
		fs.ErrNotExist)
}

// listed returns the named tensor from the shard that the index names.
func (c *Checkpoint) listed(ctx context.Context, name string) (*safetensors.Tensor, error) {
	e := c.set.index.Lookup(name)
	if e == nil {
		return nil, fmt.Errorf("checkpoint: there is no tensor %s in the index %s: %w", quote(name),
			quote(c.set.Index), fs.ErrNotExist)
	}
	return c.from(ctx, c.shards[c.set.home(e.Shard)], name)
}

// from returns the named tensor of a shard.
func (c *Checkpoint) from(ctx context.Context, s *shard.Shard, name string) (*safetensors.Tensor, error) {
	h, err := c.header(ctx, s, name)
	if err != nil {
		return nil, err
	}
	ti := h.Lookup(name)
	if ti == nil {
		return nil, fmt.Errorf("checkpoint: tensor %s is not in shard %s, which the index names for it: %w",
			quote(name), quote(s.Path), fs.ErrNotExist)
	}
	r, err := c.data(ctx, s, name)
	if err != nil {
		return nil, err
	}
	return r.Tensors(h).Tensor(ti), nil
}

// A headerRead is a header, or the error of reading it.
type headerRead struct {
	header *safetensors.Header
	err    error
}

// headers yields the header of each shard. Several are read concurrently.
func (c *Checkpoint) headers(ctx context.Context) iter.Seq2[int, headerRead] {
	return bytesio.Ahead(ctx, c.opts.Parallel, len(c.shards), func(ctx context.Context, i int) headerRead {
		h, err := c.header(ctx, c.shards[i], "")
		return headerRead{h, err}
	})
}

// Tensors yields every tensor, in the order of shards and headers. Reads of a tensor end with an
// error once ctx is done.
//
// After the error of a shard it continues with the next shard, unless ctx is done. The error of an
// invalid index comes first. If all shards could be read, the last error is a
// *[safetensors.Violation] of [RuleTensorMissing] if none has a tensor of the index, or of
// [RuleShardMissing] if the numbers of shards have a gap; see [Set.Missing]. If two shards have a tensor, it
// yields the one in the shard that the index names, or both without an index. It also yields
// tensors that the index does not list.
func (c *Checkpoint) Tensors(ctx context.Context) iter.Seq2[Located, error] {
	return func(yield func(Located, error) bool) {
		if err := c.set.Fault(); err != nil && !yield(Located{}, err) {
			return
		}
		var found []bool // of the tensors of the index
		if c.set.index != nil {
			found = make([]bool, len(c.set.index.Tensors))
		}
		failed := false
		for i, r := range c.headers(ctx) {
			if r.err == nil {
				if more, err := c.yieldShard(ctx, c.shards[i], r.header, found, yield); !more {
					return
				} else if r.err = err; err == nil {
					continue
				}
			}
			if failed = true; !yield(Located{}, r.err) || ctx.Err() != nil {
				return
			}
		}
		if err := cmp.Or(c.lacking(found), c.set.Missing()); err != nil && !failed {
			yield(Located{}, err)
		}
	}
}

// TensorsOf yields the tensors of one shard, as Tensors does.
func (c *Checkpoint) TensorsOf(ctx context.Context, shard string) iter.Seq2[Located, error] {
	return func(yield func(Located, error) bool) {
		h, err := c.Header(ctx, shard)
		if err == nil {
			_, err = c.yieldShard(ctx, c.byPath[shard], h, nil, yield)
		}
		if err != nil {
			yield(Located{}, err)
		}
	}
}

// yieldShard yields the tensors of one shard, and marks tensors of the index as found unless found
// is nil. It returns false if the loop has ended.
func (c *Checkpoint) yieldShard(ctx context.Context, s *shard.Shard, h *safetensors.Header, found []bool,
	yield func(Located, error) bool) (bool, error) {
	r, err := c.data(ctx, s, "")
	if err != nil {
		return true, err
	}
	tensors := r.Tensors(h)
	for i := range h.Tensors {
		ti := &h.Tensors[i]
		if c.isElsewhere(ctx, s, ti.Name, found) {
			continue
		}
		if !yield(Located{tensors.Tensor(ti), s.Path}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// isElsewhere reports whether the index names another shard than s for a tensor, and that shard
// has it. It marks a tensor of the index as found, unless found is nil.
func (c *Checkpoint) isElsewhere(ctx context.Context, s *shard.Shard, name string, found []bool) bool {
	if c.set.index == nil {
		return false
	}
	at, ok := index.Find(c.set.index, name)
	if !ok {
		return false
	}
	if found != nil {
		found[at] = true
	}
	e := &c.set.index.Tensors[at]
	home := c.set.home(e.Shard)
	if home < 0 || c.shards[home] == s {
		return false
	}
	h, err := c.shards[home].Header(ctx)
	return err == nil && h.Lookup(name) != nil
}
