// Prefetching of headers from remote files.

package zipwalk

import (
	"sync"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A prefetcher accepts hints about future reads; see store.Prefetcher. It is safe for concurrent use.
type prefetcher interface{ Prefetch(off, n int64) }

const (
	// batch is the number of members that are prefetched together. It limits parallel requests and memory.
	batch = 64

	// near is the largest gap that is read rather than skipped with another request. Reading it takes about as long as
	// a request.
	near = 64 << 10

	// descriptorRoom is the space that a member may use between its content and the next header.
	descriptorRoom = 32
)

// prefetch prefetches the headers of the listed members, which are sorted by offset. Adjacent headers become one read.
func (w *walker) prefetch(list []int) {
	r, ok := w.r.(prefetcher)
	if !ok {
		return
	}
	var runs []extent.Span
	for _, i := range list {
		at := w.Members[i].Header
		if at < 0 || at >= w.size {
			continue // reported as a fault later
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
