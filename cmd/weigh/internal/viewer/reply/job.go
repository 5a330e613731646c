// Progress of what a request reads.

package reply

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/store"
)

// A Job counts the bytes that a request reads, for the page and for the terminal.
type Job struct {
	done, total atomic.Int64
	Shown       cli.Progress  // for the terminal
	parts       chan<- []byte // lines for the page; nil without a stream
}

// Expect adds to the total.
func (j *Job) Expect(bytes int64) {
	j.total.Add(bytes)
	j.Shown.Bytes.Add(bytes)
}

// Count adds read bytes.
func (j *Job) Count(bytes int64) {
	j.done.Add(bytes)
	j.Shown.Add(bytes)
}

// Part sends what is known so far.
func (j *Job) Part(v any) {
	if j.parts != nil {
		j.parts <- marshal("part", v)
	}
}

// Counted returns a tensor whose reads are counted, and end with ctx.
func (j *Job) Counted(ctx context.Context, t *safetensors.Tensor) *safetensors.Tensor {
	c := *t
	c.ReaderAt = &countedReader{ctx, t.ReaderAt, j}
	return &c
}

// A countedReader counts what is read.
type countedReader struct {
	ctx context.Context
	r   io.ReaderAt
	job *Job
}

// ReadAt implements io.ReaderAt.
func (c *countedReader) ReadAt(b []byte, off int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.ReadAt(b, off)
	c.job.Count(int64(n))
	return n, err
}

// Prefetch implements [store.Prefetcher].
func (c *countedReader) Prefetch(off, n int64) {
	if ahead, ok := c.r.(store.Prefetcher); ok {
		ahead.Prefetch(off, n)
	}
}
