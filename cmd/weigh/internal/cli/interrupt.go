// Reading and writing that end when the program is interrupted.

package cli

import (
	"context"
	"io"
)

// A stoppable is a writer that refuses once its context is done: half a million
// lines take a while.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

// Write writes b, or returns why the program has been interrupted.
func (s *stoppable) Write(b []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.w.Write(b)
}

// An interruptible is a reader whose reads end when its context is done. A read
// of a terminal or a pipe waits for whoever writes, and knows of no context, so
// each is left to a goroutine, with a buffer of its own: it may go on after the
// program has lost interest. An interruptible is for one goroutine.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads some bytes, at most as many as a pipe holds as a rule.
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
