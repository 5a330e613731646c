// What will be read next, told to readers to which each read is a request.

package zipwalk

import (
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A prefetcher can be told what will be read: see store.Prefetcher. It may be told by
// several goroutines at once.
type prefetcher interface{ Prefetch(off, n int64) }

const (
	// batch is how many members are foreseen at a time: as many requests as servers and
	// their limits bear at once, and not so much that memory of it matters.
	batch = 64

	// near is how many bytes are read for nothing rather than by another request, in
	// the time of which about as many come.
	near = 64 << 10

	// descriptorRoom is how much may stand of a member between its content and the
	// header of the next.
	descriptorRoom = 32
)

// foresee has the headers of members come at once, which list has in the order of where
// they stand. Those near each other come as one run of bytes.
func (w *walker) foresee(list []int) {
	r, ok := w.r.(prefetcher)
	if !ok {
		return
	}
	var runs []extent.Span
	for _, i := range list {
		at := w.Members[i].Header
		if at < 0 || at >= w.size {
			continue // which will be a fault
		}
		span := extent.Span{Begin: max(at-descriptorRoom, 0), End: min(at+bytesio.WindowSize, w.size)}
		if last := len(runs) - 1; last >= 0 && span.Begin-runs[last].End <= near {
			runs[last].End = max(runs[last].End, span.End)
		} else {
			runs = append(runs, span)
		}
	}
	var all sync.WaitGroup
	for _, run := range runs {
		all.Go(func() { r.Prefetch(run.Begin, run.Len()) })
	}
	all.Wait()
}
