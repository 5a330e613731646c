// Reading ahead: the order, the limit, and that nothing is left behind.

package bytesio

import (
	"context"
	"sync/atomic"
	"testing"
)

func TestOrderAndLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 8} {
		var running, most atomic.Int32
		// The first read of each pair ends after the second has begun, if the
		// limit lets that begin at all.
		begun := make([]chan bool, 100)
		for i := range begun {
			begun[i] = make(chan bool)
		}
		n := 0
		for i, got := range Ahead(t.Context(), limit, len(begun), func(_ context.Context, i int) int {
			now := running.Add(1)
			defer running.Add(-1)
			for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
			}
			close(begun[i])
			if i%2 == 0 && limit > 1 {
				<-begun[i+1]
			}
			return i * i
		}) {
			if i != n || got != i*i {
				t.Fatalf("limit %d: result %d is (%d, %d)", limit, n, i, got)
			}
			n++
		}
		if n != len(begun) || int(most.Load()) > limit || running.Load() != 0 {
			t.Errorf("limit %d: %d results, %d reads at once, %d left", limit, n, most.Load(), running.Load())
		}
	}
}

func TestStops(t *testing.T) {
	var running, begun atomic.Int32
	for range Ahead(t.Context(), 4, 1000, func(ctx context.Context, i int) int {
		begun.Add(1)
		running.Add(1)
		defer running.Add(-1)
		if i > 0 {
			<-ctx.Done() // as of a read that would take for ever
		}
		return i
	}) {
		break
	}
	if running.Load() != 0 || begun.Load() > 5 {
		t.Errorf("%d reads were begun, and %d are left", begun.Load(), running.Load())
	}
	for range Ahead(t.Context(), 4, 0, func(context.Context, int) int { return 0 }) {
		t.Error("a result of nothing")
	}
}
