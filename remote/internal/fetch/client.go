// The client: what the requests of one Opener have in common.

package fetch

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A client makes the requests of all stores of one Opener.
type client struct {
	transport guard
	slots     Slots // one for each request in flight
	meter     *Meter
	retries   int
	silence   time.Duration // how long a server may send nothing
	offline   bool
	notice    func(string)
	pauses    *pauses

	unversioned *sync.Once // the notice that a server does not tell versions apart
}

// Slots limit how many goroutines do something at the same time. Their capacity is that number.
type Slots chan struct{}

// Take waits for a slot, or returns why the context is done.
func (s Slots) Take(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case s <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// Leave gives a slot back.
func (s Slots) Leave() { <-s }

// newTransport returns a transport that keeps a connection for each of so many parallel
// requests, and does not ask for compression.
func newTransport(parallel int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // the program has replaced it
	}
	t = t.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 2*parallel, parallel
	t.DisableCompression = true
	return t
}
