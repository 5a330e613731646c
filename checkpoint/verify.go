// Reading a checkpoint again that was written, before it has its name.

package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/ahead"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/filecopy"
)

// A progress is how many bytes of a file were written, for one who waits for them.
type progress struct {
	mu    sync.Mutex
	bytes int64
	more  chan struct{} // closed when there are more
}

func newProgress() *progress { return &progress{more: make(chan struct{})} }

// advance takes note of n more bytes.
func (p *progress) advance(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += n
	close(p.more)
	p.more = make(chan struct{})
}

// wait waits until there are n bytes. It returns why ctx is done if that is first.
func (p *progress) wait(ctx context.Context, n int64) error {
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

// writeShard writes one shard, and has each of its tensors verified when it is written:
// while others wait for the disk, there is time for it. The first error is told to
// cancel, which is to end ctx, and with it what is done for this shard and for others.
func (p *Plan) writeShard(ctx context.Context, cancel context.CancelCauseFunc, set *atomicfile.Set, shard *PlannedShard) error {
	written := newProgress()
	var verifying sync.WaitGroup
	if p.w.Verify != nil {
		verifying.Go(func() {
			if err := p.verifyShard(ctx, set, shard, written); err != nil {
				cancel(atPath("verify", p.dir, err))
			}
		})
	}
	tell := func(n int64) {
		written.advance(n)
		if p.w.Wrote != nil {
			p.w.Wrote(n)
		}
	}
	err := set.Write(shard.Name, func(f io.Writer) error {
		return p.w.Encoder.Encode(filecopy.Watch(ctx, f, tell), shard.Tensors...)
	})
	if err != nil {
		cancel(err)
	}
	verifying.Wait()
	return context.Cause(ctx)
}

// verifyShard has the tensors of one shard verified, in the order in which they are
// written. Its header is judged as that of any other file.
func (p *Plan) verifyShard(ctx context.Context, set *atomicfile.Set, shard *PlannedShard, written *progress) error {
	data := int64(0)
	for _, t := range shard.Tensors {
		data += t.Size()
	}
	start := shard.Size - data
	if err := written.wait(ctx, start); err != nil {
		return err
	}
	disk, err := set.Open(shard.Name)
	if err != nil {
		return err
	}
	defer disk.Close()
	f, err := safetensors.NewFile(disk, shard.Size)
	if err != nil {
		return fmt.Errorf("checkpoint: shard %s, as it was written: %w", quote(shard.Name), err)
	}
	tensors, err := inFile(f, shard.Tensors)
	if err != nil {
		return err
	}
	one := func(ctx context.Context, i int) error {
		t := tensors[i]
		if err := written.wait(ctx, start+t.is.Offsets.End); err != nil {
			return err
		}
		return p.w.Verify(ctx, t.was, t.is)
	}
	const atOnce = 4 // for as many cores to work on one shard
	for i, err := range ahead.Each(ctx, atOnce, len(tensors), one) {
		if err != nil {
			return fmt.Errorf("checkpoint: tensor %s, as it was written to shard %s: %w", quote(tensors[i].was.Name), quote(shard.Name), err)
		}
	}
	return context.Cause(ctx)
}

// A copied is a tensor as it was given, and as it is in the new file.
type copied struct{ was, is *safetensors.Tensor }

// inFile returns the tensors that f was written from, in the order of f.
func inFile(f *safetensors.File, tensors []*safetensors.Tensor) ([]copied, error) {
	list := make([]copied, len(tensors))
	for i, t := range tensors {
		is, err := f.Tensor(t.Name)
		if err != nil {
			return nil, err
		}
		list[i] = copied{t, is}
	}
	slices.SortStableFunc(list, func(a, b copied) int { return cmp.Compare(a.is.Offsets.End, b.is.Offsets.End) })
	return list, nil
}
