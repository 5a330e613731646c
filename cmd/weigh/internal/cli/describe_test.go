package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
)

// TestDescribeJoinedErrors: several errors are one line, and a line break in a name stays an escape.
func TestDescribeJoinedErrors(t *testing.T) {
	write := &fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}
	remove := &fs.PathError{Op: "remove", Path: "b\nc", Err: syscall.EIO}
	both := errors.Join(write, remove)
	for want, err := range map[string]error{
		`write a: no space left on device; remove b\nc: input/output error`:          both,
		`copying: write a: no space left on device; remove b\nc: input/output error`: fmt.Errorf("copying: %w", both),
		`write a: no space left on device`:                                           errors.Join(write, nil, write),
		`remove b\nc: input/output error`:                                            remove,
		`x: write a: no space left on device, remove b\nc: input/output error`:       fmt.Errorf("x: %w, %w", write, remove),
	} {
		if got := Describe(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// stuck is a pipe that nobody reads from.
type stuck chan struct{}

func (s stuck) Write(b []byte) (int, error) { <-s; return len(b), nil }

// TestStoppableOutput: an interrupt ends a write to a pipe that nobody reads from.
func TestStoppableOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		pipe := make(stuck)
		defer close(pipe)
		done := make(chan error, 1)
		go func() {
			_, err := (&stoppable{ctx: ctx, w: pipe}).Write([]byte("x"))
			done <- err
		}()
		synctest.Wait()
		select {
		case err := <-done:
			t.Errorf("it returns %v before the interrupt", err)
		default:
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
