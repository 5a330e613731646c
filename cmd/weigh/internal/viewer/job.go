// Progress of what a request reads.

package viewer

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/store"
)

// A job counts the bytes that a request reads, for the page and for the terminal.
type job struct {
	done, total atomic.Int64
	shown       cli.Progress
	parts       chan<- []byte // lines for the page; nil without a stream
}

// expect adds to the total.
func (j *job) expect(bytes int64) {
	j.total.Add(bytes)
	j.shown.Bytes.Add(bytes)
}

// count adds read bytes.
func (j *job) count(bytes int64) {
	j.done.Add(bytes)
	j.shown.Add(bytes)
}

// part sends what is known so far.
func (j *job) part(v any) {
	if j.parts != nil {
		j.parts <- marshal("part", v)
	}
}

// counted returns a tensor whose reads are counted, and end with ctx.
func (j *job) counted(ctx context.Context, t *safetensors.Tensor) *safetensors.Tensor {
	c := *t
	c.ReaderAt = &countedReader{ctx, t.ReaderAt, j}
	return &c
}

// A countedReader counts what is read.
type countedReader struct {
	ctx context.Context
	r   io.ReaderAt
	job *job
}

// ReadAt implements io.ReaderAt.
func (c *countedReader) ReadAt(b []byte, off int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.ReadAt(b, off)
	c.job.count(int64(n))
	return n, err
}

// Prefetch implements [store.Prefetcher].
func (c *countedReader) Prefetch(off, n int64) {
	if ahead, ok := c.r.(store.Prefetcher); ok {
		ahead.Prefetch(off, n)
	}
}
