// Writing a plan: every file, verified while others are written, or nothing.

package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/wording"
)

// A writing is a plan while it is written.
type writing struct {
	*Plan
	set     *atomicfile.Set
	release func()           // releases the files that hold has locked
	results [][]verification // by shard and tensor; nil if nothing is verified

	done  atomic.Int64 // bytes, for progress
	total int64
}

// Write writes the files as [Writer.Write] does. It looks at the folder once more,
// which may have changed since it was planned.
//
// When ctx is done before the first file is renamed into place, nothing changes. Afterwards
// Write finishes.
func (p *Plan) Write(ctx context.Context) (*Receipt, error) {
	if err := p.look(); err != nil {
		return nil, err
	}
	if err := p.guard(); err != nil {
		return nil, err
	}
	set, err := atomicfile.NewSet(p.Dir, p.names(), p.Stale)
	if err != nil {
		return nil, err
	}
	set.New = !p.overwrite
	defer set.Abort()
	w := &writing{Plan: p, set: set, total: p.Size(), release: func() {}}
	defer func() { w.release() }()
	if p.verify {
		for i := range p.Shards {
			w.results = append(w.results, make([]verification, len(p.Shards[i].Tensors)))
			w.total += p.Shards[i].Size
		}
	}
	if err := w.fill(ctx); err != nil {
		return nil, shard.AtPath("write", p.Dir, err)
	}
	if p.Beside != nil {
		if err := p.Beside.join(set); err != nil {
			return nil, err
		}
	}
	set.Ready = func() error { return w.ready(ctx) }
	if err := set.Commit(); err != nil {
		return nil, named(err)
	}
	r := p.Receipt()
	r.Written, r.Verified, r.results = true, p.verify, w.results
	return r, nil
}

// ready makes sure that the files may be renamed into place. The folder may have changed
// while they were written.
func (w *writing) ready(ctx context.Context) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.hold != nil {
		if w.release, err = w.hold(); err != nil {
			return err
		}
	}
	if err := errors.Join(w.find(), w.guard()); err != nil {
		return err
	}
	w.set.Remove = w.Stale
	if w.recheck == nil {
		return nil
	}
	return w.recheck(w.Plan)
}

// Stream writes the one shard of the plan to w instead of a file. Nothing is verified.
func (p *Plan) Stream(ctx context.Context, w io.Writer) error {
	if len(p.Shards) != 1 {
		return fmt.Errorf("shards: %s cannot be written as one stream", wording.Count(len(p.Shards), "shard"))
	}
	one := &writing{Plan: p, total: p.Size()}
	if err := p.Shards[0].Encoder.Encode(filecopy.Watch(ctx, w, one.advance), p.Shards[0].Tensors...); err != nil {
		return err
	}
	if p.hold == nil {
		return nil
	}
	release, err := p.hold()
	release()
	return err
}

// fill writes the files to the hidden folder.
func (w *writing) fill(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	one := func(ctx context.Context, i int) error { return w.shard(ctx, cancel, i) }
	// While one shard waits for the disk, the next can be read.
	const atOnce = 2
	for _, err := range bytesio.Ahead(ctx, atOnce, len(w.Shards), one) {
		if err != nil {
			return context.Cause(ctx)
		}
	}
	if w.Index != "" {
		err := w.set.Write(w.Index, func(f io.Writer) error {
			_, err := f.Write(w.text)
			return err
		})
		if err != nil {
			return err
		}
		w.advance(w.IndexSize)
	}
	return context.Cause(ctx)
}

// shard writes one shard, and verifies each of its tensors once it is written: while
// the others wait for the disk, there is time for that. The first error cancels ctx,
// and with it the work on this shard and on others.
func (w *writing) shard(ctx context.Context, cancel context.CancelCauseFunc, i int) error {
	s := &w.Shards[i]
	written := newWatermark()
	var verifying sync.WaitGroup
	if w.verify {
		verifying.Go(func() {
			if err := w.verifyShard(ctx, i, written); err != nil {
				cancel(shard.AtPath("verify", w.Dir, err))
			}
		})
	}
	err := w.set.Write(s.Name, func(f io.Writer) error {
		return s.Encoder.Encode(filecopy.Watch(ctx, f, func(n int64) {
			written.advance(n)
			w.advance(n)
		}), s.Tensors...)
	})
	if err != nil {
		cancel(err)
	}
	verifying.Wait()
	return context.Cause(ctx)
}

// verifyShard verifies the tensors of one shard in the order in which they are
// written, and its header by the rules of any other file.
func (w *writing) verifyShard(ctx context.Context, i int, written *watermark) error {
	s := &w.Shards[i]
	start := s.Size - dataSize(s.Tensors)
	if err := written.wait(ctx, start); err != nil {
		return err
	}
	disk, err := w.set.Open(s.Name)
	if err != nil {
		return err
	}
	defer disk.Close()
	f, err := safetensors.NewFile(disk, s.Size)
	if err != nil {
		return fmt.Errorf("shards: shard %s, read again: %w", wording.Quote(s.Name), err)
	}
	if len(f.Header.Tensors) != len(s.Tensors) || !maps.Equal(f.Header.Metadata, s.Encoder.Metadata) {
		return fmt.Errorf("shards: the header of shard %s, read again, differs from the one that was written",
			wording.Quote(s.Name))
	}
	w.advance(start)
	pairs, err := inFile(f, s.Tensors)
	if err != nil {
		return err
	}
	one := func(ctx context.Context, j int) error {
		t := pairs[j]
		if err := written.wait(ctx, start+t.is.Offsets.End); err != nil {
			return err
		}
		v, err := w.verifyTensor(ctx, t.was, t.is, w.advance)
		w.results[i][t.index] = v
		if err == nil && w.inspect != nil {
			err = w.inspect(ctx, t.was, t.is)
		}
		return err
	}
	const atOnce = 4 // so that several processors work on one shard
	for j, err := range bytesio.Ahead(ctx, atOnce, len(pairs), one) {
		if err != nil {
			return fmt.Errorf("shards: tensor %s, read again from shard %s: %w", wording.Quote(pairs[j].was.Name),
				wording.Quote(s.Name), err)
		}
	}
	return context.Cause(ctx)
}

// advance reports n more bytes.
func (w *writing) advance(n int64) {
	if done := w.done.Add(n); w.progress != nil {
		w.progress(done, w.total)
	}
}

// A copied is a tensor as it was given, and the copy in the new file.
type copied struct {
	was, is *safetensors.Tensor
	index   int // among those that were given
}

// inFile returns the tensors that f was written from, in the order of f.
func inFile(f *safetensors.File, tensors []*safetensors.Tensor) ([]copied, error) {
	list := make([]copied, len(tensors))
	for i, t := range tensors {
		is, err := f.Tensor(t.Name)
		if err != nil {
			return nil, err
		}
		if is.Dtype != t.Dtype || is.Size() != t.Size() || !slices.Equal(is.Shape, t.Shape) {
			return nil, fmt.Errorf("shards: the header that was written describes tensor %s differently",
				wording.Quote(t.Name))
		}
		list[i] = copied{t, is, i}
	}
	slices.SortStableFunc(list, func(a, b copied) int { return cmp.Compare(a.is.Offsets.End, b.is.Offsets.End) })
	return list, nil
}

// A watermark is how many bytes of a file were written, for others to wait for.
type watermark struct {
	mu    sync.Mutex
	bytes int64
	more  chan struct{} // closed when there are more
}

func newWatermark() *watermark { return &watermark{more: make(chan struct{})} }

// advance records n more bytes.
func (p *watermark) advance(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += n
	close(p.more)
	p.more = make(chan struct{})
}

// wait waits until there are n bytes. It returns the cause if ctx is done first.
func (p *watermark) wait(ctx context.Context, n int64) error {
	for {
		p.mu.Lock()
		have, more := p.bytes, p.more
		p.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
