// A network in memory on which time passes only with requests.

package remotetest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// latency is how long a request takes on a Link.
const latency = 80 * time.Millisecond

// A Link is a transport for tests in a bubble of testing/synctest. A request takes 80 ms on the bubble's
// clock, and everything else takes no time. So the time of a run divided by 80 ms is the number of requests
// that had to wait for each other.
type Link struct {
	http.Handler

	mu    sync.Mutex
	began time.Time
	sent  []Sent
}

// Sent is a request that a Link transported.
type Sent struct {
	Round int // how many requests had to be answered before it, plus one
	Path  string
	Bytes int // of the body of the answer
}

// Start makes the present the time before the first round, and forgets all requests.
func (l *Link) Start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.began, l.sent = time.Now(), nil
}

// Sent returns the requests since Start, in order.
func (l *Link) Sent() []Sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Sent(nil), l.sent...)
}

// Rounds returns how many times requests had to wait for each other since Start.
func (l *Link) Rounds() int { return int(time.Since(l.began) / latency) }

// RoundTrip implements http.RoundTripper.
func (l *Link) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	round := l.Rounds() + 1
	l.mu.Unlock()
	time.Sleep(latency)
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	l.mu.Lock()
	l.sent = append(l.sent, Sent{round, r.URL.EscapedPath(), w.Body.Len()})
	l.mu.Unlock()
	return w.Result(), nil
}
