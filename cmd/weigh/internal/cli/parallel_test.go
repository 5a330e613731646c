// Work in several goroutines.

package cli

import (
	"context"
	"errors"
	"testing"
)

// The error that stops the others is returned, not theirs.
func TestParallelError(t *testing.T) {
	failed := errors.New("failed")
	err := Parallel(t.Context(), 2, 2, func(ctx context.Context, i int) error {
		if i == 1 {
			return failed
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != failed {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err = Parallel(ctx, 2, 2, func(ctx context.Context, _ int) error {
		cancel(failed)
		<-ctx.Done()
		return ctx.Err()
	})
	if err != failed {
		t.Errorf("the error of canceled work is %v", err)
	}
}
