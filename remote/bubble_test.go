// A server in a bubble: a network in memory, where waiting takes no time.

package remote_test

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/weightools/safetensors/remote"
)

// A bubble is a network in memory. Every name leads to its one server.
type bubble struct {
	remote.Opener
	came atomic.Int64 // bytes that the client took off the network

	mu       sync.Mutex
	requests []*http.Request
}

// asked returns the requests in the order in which they came.
func (b *bubble) asked() []*http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// record records a request.
func (b *bubble) record(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
}

// inBubble runs f with an opener whose requests h answers.
func inBubble(t *testing.T, h http.Handler, f func(t *testing.T, b *bubble)) {
	t.Helper()
	inNetwork(t, func(b *bubble, l net.Listener) {
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b.record(r)
			h.ServeHTTP(w, r)
		})}
		server.Serve(l)
		server.Close()
	}, f)
}

// inNetwork runs f with an opener whose requests a server answers until its listener is
// closed.
func inNetwork(t *testing.T, serve func(*bubble, net.Listener), f func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := new(bubble)
		conns := make(chan net.Conn)
		listener := pipeListener{conns, make(chan struct{}), new(sync.Once)}
		go serve(b, listener)
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			near, far := net.Pipe()
			select {
			case conns <- far:
				return &countedConn{near, &b.came}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		b.Transport, b.Meter = transport, new(remote.Meter)
		b.Env = func(string) string { return "" }
		defer func() {
			transport.CloseIdleConnections()
			listener.Close()
		}()
		f(t, b)
	})
}

type countedConn struct {
	net.Conn
	n *atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   *sync.Once
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "bubble"} }
