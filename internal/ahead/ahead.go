// Reading ahead: several at once, in a stable order.

// Package ahead does several things at once, and gives their results in order.
package ahead

import (
	"context"
	"iter"
	"sync"
)

// Each calls read for each index below n, for up to limit of them at once, and
// yields what it returns in the order of the indices. So at most limit results
// are held, however slow the first is. The limit is at least 1.
//
// When the loop ends, early or not, the context of reads that still run is done,
// and Each waits for them: none outlives it.
func Each[T any](ctx context.Context, limit, n int, read func(ctx context.Context, i int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stop := make(chan struct{})
		defer close(stop)

		// Each result has a channel of its own, and these are queued in order.
		// A read begins once its channel is in the queue.
		queue := make(chan chan T, limit-1)
		running.Go(func() {
			defer close(queue)
			for i := range n {
				result := make(chan T, 1)
				select {
				case queue <- result:
					running.Go(func() { result <- read(ctx, i) })
				case <-stop:
					return
				}
			}
		})
		i := 0
		for result := range queue {
			if !yield(i, <-result) {
				return
			}
			i++
		}
	}
}
