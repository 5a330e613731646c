// Several reads at once.

package bytesio

import (
	"context"
	"iter"
	"sync"
)

// Ahead calls read for each index below n, up to limit of them at once, and yields
// the results in the order of the indices. It holds at most limit results, however
// slow the first one is. The limit is at least 1.
//
// When the loop ends, early or not, Ahead cancels the context of running reads and
// waits for them.
func Ahead[T any](ctx context.Context, limit, n int, read func(ctx context.Context, i int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stop := make(chan struct{})
		defer close(stop)

		// Each result has its channel, and channels are queued in order.
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
