// One request and its answer, over as many redirects as there are.

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// A client makes requests, for all stores of one Opener.
type client struct {
	transport http.RoundTripper
	slots     *semaphore.Weighted // of requests at a time
	meter     *Meter
	retries   int
	silence   time.Duration // for how long a server may send nothing
	offline   bool
	notice    func(string)
	pauses    pauses
}

// An access adds to a request what shows who asks, if the request goes where that may
// be seen. It is called for each redirect.
type access func(*http.Request) error

// A call is what is asked for.
type call struct {
	url    *url.URL
	header http.Header
	access access // may be nil
	want   int64  // the bytes of the answer that are to be read, at most; 0 if not known

	offline bool // it is not to be made
}

// An answer is that of the last server to which a call came. Its body must be closed.
type answer struct {
	status int
	header http.Header
	hops   []*answer // the redirects on the way, without bodies
	url    *url.URL  // of the server that gave it
	length int64     // of the body in bytes, as the server says; -1 if it does not
	body   *body
}

// maxHops is how many redirects are followed, as by browsers and net/http.
const maxHops = 10

// errHops is that of servers that redirect in a circle.
var errHops = fmt.Errorf("more than %d redirects", maxHops)

// do makes a call, once. The context governs the body, too. It is no error if the
// server refuses.
func (c *client) do(ctx context.Context, what *call) (*answer, error) {
	if c.offline || what.offline {
		return nil, &Error{Method: http.MethodGet, URL: shown(what.url), Err: ErrOffline}
	}
	u := what.url
	var hops []*answer
	for {
		a, err := c.hop(ctx, what, u)
		if err != nil {
			return nil, err
		}
		a.hops = hops
		next, err := redirect(a)
		if next == nil && err == nil {
			return a, nil
		}
		a.body.Close()
		if err == nil && len(hops) == maxHops {
			err = a.errorf("%w", errHops)
		}
		if err != nil {
			return nil, err
		}
		hops, u = append(hops, a), next
	}
}

// redirect returns where an answer sends the caller, or nil if it does not. The query
// of such a URL is a signature as a rule, so errors do not quote it.
func redirect(a *answer) (*url.URL, error) {
	switch a.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if a.header.Get("Location") == "" {
		return nil, nil // S3 does so for a bucket of another region
	}
	next, err := a.url.Parse(a.header.Get("Location"))
	switch {
	case err != nil || next.Host == "":
		return nil, a.errorf("redirects to what is no URL")
	case next.Scheme != "https" && next.Scheme != "http":
		return nil, a.errorf("redirects to a URL of scheme %q", next.Scheme)
	case a.url.Scheme == "https" && next.Scheme == "http":
		return nil, a.errorf("redirects from https to http at %s, which is not followed", next.Host)
	}
	return next, nil
}

// hop makes one request.
func (c *client) hop(ctx context.Context, what *call, u *url.URL) (*answer, error) {
	if err := c.pauses.wait(ctx, bucketOf(u), c.notice); err != nil {
		return nil, broken(ctx, u, err)
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, broken(ctx, u, err)
	}
	b := &body{client: c, ctx: ctx, url: u}
	inner, cancel := context.WithCancelCause(ctx)
	b.cancel = cancel
	granted, err := c.meter.begin(what.want)
	if err != nil {
		b.Close()
		return nil, &Error{Method: http.MethodGet, URL: shown(u), Err: err}
	}
	b.granted = granted
	bare := *u
	bare.User, bare.Fragment = nil, ""
	req := (&http.Request{Method: http.MethodGet, URL: &bare, Host: bare.Host, Header: what.header.Clone(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(inner)
	req.Header.Set("User-Agent", "weigh (+https://github.com/weightools/safetensors)")
	// Ranges are of bytes as they are sent, and compressed ones are of no use.
	req.Header.Set("Accept-Encoding", "identity")
	if what.access != nil {
		if err := what.access(req); err != nil {
			b.Close()
			return nil, broken(ctx, u, err)
		}
	}
	b.alarm = time.AfterFunc(c.silence, func() { cancel(errSilent) })
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		err = b.why(err)
		b.Close()
		return nil, broken(ctx, u, err)
	}
	b.alarm.Stop()
	b.reader = resp.Body
	c.pauses.learn(bucketOf(u), resp.StatusCode, resp.Header)
	return &answer{status: resp.StatusCode, header: resp.Header, url: u, length: resp.ContentLength, body: b}, nil
}

// A body is that of an answer. It counts what is read, and gives up on a server that
// sends nothing for too long, however long the whole takes.
type body struct {
	client  *client
	ctx     context.Context // the caller's
	url     *url.URL
	reader  io.ReadCloser // nil until there is an answer
	cancel  context.CancelCauseFunc
	alarm   *time.Timer
	granted int64 // bytes that may yet be read before the meter is asked
	free    sync.Once
	closed  sync.Once
}

// Read reads some bytes. Errors are those of [broken], and io.EOF.
func (b *body) Read(p []byte) (int, error) {
	if b.granted < int64(len(p)) {
		more, err := b.client.meter.more(int64(len(p)) - b.granted)
		if err != nil {
			return 0, &Error{Method: http.MethodGet, URL: shown(b.url), Err: err}
		}
		b.granted += more
		p = p[:b.granted]
	}
	b.alarm.Reset(b.client.silence)
	n, err := b.reader.Read(p)
	b.alarm.Stop()
	b.granted -= int64(n)
	b.client.meter.read(n)
	if err != nil && err != io.EOF {
		err = broken(b.ctx, b.url, b.why(err))
	}
	return n, err
}

// why returns what ended the request, if it was the alarm, and otherwise err.
func (b *body) why(err error) error {
	if b.alarm != nil && !b.alarm.Stop() && b.ctx.Err() == nil && (errors.Is(err, context.Canceled) || errors.Is(err, errSilent)) {
		return errSilent
	}
	return err
}

// release lets another request begin, while this body is still open.
func (b *body) release() { b.free.Do(func() { b.client.slots.Release(1) }) }

// Close ends the request. What was not read is not waited for.
func (b *body) Close() error {
	b.closed.Do(func() {
		b.cancel(context.Canceled)
		if b.reader != nil {
			b.reader.Close()
		}
		b.client.meter.giveBack(b.granted)
		b.release()
	})
	return nil
}
