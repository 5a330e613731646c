// Work in several goroutines.

package cli

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

// Parallel calls do with each number from 0 to n-1, in at most so many goroutines at once. After an
// error it cancels the context of the others, and starts no more. It returns the error of the lowest
// number that has one other than that it was canceled.
func Parallel(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := 0; i < n && within.Err() == nil; i++ {
		group.Go(func() error {
			errs[i] = do(within, i)
			return errs[i]
		})
	}
	first := group.Wait()
	if first == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return first
}
