// Readers and writers that stop on interrupt.

package cli

import (
	"context"
	"io"
)

// A stoppable writer fails once its context is done, so long output stops on interrupt, even if nobody reads from the
// pipe that it goes to.
type stoppable struct {
	ctx  context.Context
	w    io.Writer
	line *liveLine // removed before output
}

// Write writes to w until the context is done.
func (s *stoppable) Write(b []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	s.line.remove()
	return untilDone(s.ctx, func() (int, error) { return s.w.Write(b) })
}

// An interruptible reader returns when its context is done, even if the underlying read blocks on
// a terminal or a pipe. Each read runs in a goroutine with its own buffer, because it may outlive
// the call. An interruptible is not safe for concurrent use.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads from r until the context is done.
func (i *interruptible) Read(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	own := make([]byte, min(len(b), 64<<10))
	done := make(chan result, 1)
	go func() {
		n, err := i.r.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(b, own[:got.n]), got.err
	case <-i.ctx.Done():
		return 0, context.Cause(i.ctx)
	}
}

// untilDone returns the results of f, or the cause once ctx is done: opening a named pipe blocks, and so do reads and
// writes of it.
func untilDone[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case got := <-done:
		return got.v, got.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
