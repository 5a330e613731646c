// Progress on standard error.

package cli

import (
	"cmp"
	"context"
	"io"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/store"
)

// ShowProgress shows p on standard error, if that is a terminal and --quiet is not set. The returned function stops it
// and clears the line.
func (s *Session) ShowProgress(p *Progress) (stop func()) {
	if s.Quiet || s.line == nil || s.line.tty == nil {
		return func() {}
	}
	return s.line.follow(p)
}

// ShowWriting is ShowProgress for a command that writes files. From then on, the program ignores SIGPIPE: a closed
// pipe must not end it while it replaces files.
func (s *Session) ShowWriting(p *Progress) (stop func()) {
	signal.Ignore(syscall.SIGPIPE)
	return s.ShowProgress(p)
}

// A Progress counts the bytes processed so far, and tensors or files. Its counters are safe for concurrent use.
type Progress struct {
	Done           string       // what is done with bytes, such as " written"
	Unit           string       // what is counted besides bytes, in the singular; "" means "tensor"
	Tensors        int64        // total of these; 0 if they are not counted
	Bytes          atomic.Int64 // total
	done, doneSize atomic.Int64 // tensors and bytes
	skipped        atomic.Int64 // bytes that were there before
}

// Expect adds tensors to the totals.
func (p *Progress) Expect(list []*safetensors.Tensor) {
	for _, t := range list {
		p.Tensors++
		p.Bytes.Add(t.Size())
	}
}

// Count adds one processed tensor of the given size.
func (p *Progress) Count(bytes int64) {
	p.done.Add(1)
	p.doneSize.Add(bytes)
}

// Skip adds bytes that were there before, which say nothing about the rate.
func (p *Progress) Skip(bytes int64) {
	p.skipped.Add(bytes)
	p.doneSize.Add(bytes)
}

// Add adds processed bytes of unfinished tensors.
func (p *Progress) Add(bytes int64) { p.doneSize.Add(bytes) }

// Reader returns a reader of r that adds the bytes that are read, and fails when ctx is done.
func (p *Progress) Reader(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	return &progressReader{r, p, ctx}
}

// A progressReader adds the bytes that are read to a Progress.
type progressReader struct {
	r    io.ReaderAt
	done *Progress
	ctx  context.Context
}

// ReadAt implements io.ReaderAt.
func (c *progressReader) ReadAt(b []byte, off int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.ReadAt(b, off)
	c.done.Add(int64(n))
	return n, err
}

// Prefetch implements [store.Prefetcher].
func (c *progressReader) Prefetch(off, n int64) {
	if ahead, ok := c.r.(store.Prefetcher); ok {
		ahead.Prefetch(off, n)
	}
}

// At sets the number of processed bytes, which the caller counts itself, and their total. A smaller
// number is ignored: of several goroutines, one may report late.
func (p *Progress) At(done, total int64) {
	p.Bytes.Store(total)
	for was := p.doneSize.Load(); done > was && !p.doneSize.CompareAndSwap(was, done); was = p.doneSize.Load() {
	}
}

// share returns how much is done, from 0 to 1: of the bytes if their total is known, else of the tensors or files.
func (p *Progress) share() float64 {
	done, total := p.doneSize.Load(), p.Bytes.Load()
	if total == 0 {
		done, total = p.done.Load(), p.Tensors
	}
	if total <= 0 {
		return 0
	}
	return float64(min(done, total)) / float64(total)
}

// String returns the progress as one line.
func (p *Progress) String() string {
	var parts []string
	if p.Tensors > 0 && (p.done.Load() > 0 || p.doneSize.Load() == 0) {
		parts = append(parts, typeset.Count(p.done.Load())+" of "+typeset.Plural(p.Tensors, cmp.Or(p.Unit, "tensor")))
	}
	if text := p.size(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// size returns the number of bytes, and their total if it is known.
func (p *Progress) size() string {
	done, total := p.doneSize.Load(), p.Bytes.Load()
	switch {
	case total > 0:
		return typeset.Bytes(min(done, total)) + " of " + typeset.Bytes(total) + p.Done
	case done > 0:
		return typeset.Bytes(done) + p.Done
	}
	return ""
}
