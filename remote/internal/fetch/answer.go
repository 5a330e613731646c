// One request and its answer, including redirects.

package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// Access adds credentials to a request, if its URL is one that may receive them. It is
// called again for every redirect.
type Access func(*http.Request) error

// A call is a request to make.
type call struct {
	method string // "" means GET
	url    *url.URL
	header http.Header
	access Access // may be nil
	want   int64  // upper bound of the bytes that will be read; 0 if unknown

	offline    bool // refuse to make it
	redirected bool // a public server redirected there
}

// An Answer is the response to a request, after following redirects.
type Answer struct {
	Status int
	Header http.Header
	Hops   []*Answer // the redirects that led here, without bodies
	URL    *url.URL  // of the server that answered

	length int64 // of the body in bytes, as the server says; -1 if it does not
	body   *body // must be closed
}

// Errorf returns an error about an answer.
func (a *Answer) Errorf(format string, args ...any) *Error {
	return &Error{Method: http.MethodGet, URL: Shown(a.URL), Status: a.Status, Err: fmt.Errorf(format, args...)}
}

// Text returns the start of the body of a refusal, at most 8 KiB. It returns "" if that cannot be read.
func (a *Answer) Text() string {
	const most = 8 << 10
	text, err := readGrowing(a.body, most)
	if err != nil {
		return ""
	}
	return string(text)
}

// maxHops is the maximum number of redirects, the same as in browsers and net/http.
const maxHops = 10

// errHops is the error for redirects in a circle.
var errHops = fmt.Errorf("more than %d redirects", maxHops)

// do makes a call once. The context governs reading the body, too. A refusal by the server
// is not an error.
func (c *client) do(ctx context.Context, what *call) (*Answer, error) {
	if c.offline || what.offline {
		return nil, &Error{Method: http.MethodGet, URL: Shown(what.url), Err: ErrOffline}
	}
	u, redirected := what.url, what.redirected
	var hops []*Answer
	for {
		a, err := c.hop(ctx, what, u, redirected)
		if err != nil {
			return nil, err
		}
		a.Hops = hops
		next, err := redirect(a)
		if next == nil && err == nil {
			return a, nil
		}
		a.body.Close()
		if err == nil && len(hops) == maxHops {
			err = a.Errorf("%w", errHops)
		}
		if err != nil {
			return nil, err
		}
		hops, u, redirected = append(hops, a), next, a.body.public
	}
}

// redirect returns the URL that an answer redirects to, or nil. Errors do not include that
// URL, because its query usually holds a signature.
func redirect(a *Answer) (*url.URL, error) {
	switch a.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if a.Header.Get("Location") == "" {
		return nil, nil // S3 does this for a bucket in another region
	}
	next, err := a.URL.Parse(a.Header.Get("Location"))
	switch {
	case err != nil || next.Host == "":
		return nil, a.Errorf("the server redirects to an invalid URL")
	case next.Scheme != "https" && next.Scheme != "http":
		return nil, a.Errorf("the server redirects to a URL with scheme %q", next.Scheme)
	case a.URL.Scheme == "https" && next.Scheme == "http":
		return nil, a.Errorf("the server redirects from https to http at %s, which is not followed", next.Host)
	}
	return next, nil
}

// hop makes one request.
func (c *client) hop(ctx context.Context, what *call, u *url.URL, redirected bool) (*Answer, error) {
	if err := c.pauses.wait(ctx, bucketOf(u), c.notice); err != nil {
		return nil, broken(ctx, u, err)
	}
	if err := c.slots.Take(ctx); err != nil {
		return nil, broken(ctx, u, err)
	}
	b := &body{client: c, ctx: ctx, url: u, free: c.slots.Leave}
	req := newRequest(what.method, u, what.header).WithContext(ctx)
	if what.access != nil {
		if err := what.access(req); err != nil {
			b.Close()
			return nil, unauthorized(ctx, u, err)
		}
	}
	resp, err := b.send(req, what.want, redirected)
	if err != nil {
		b.Close()
		return nil, broken(ctx, u, err)
	}
	c.pauses.learn(bucketOf(u), resp.StatusCode, resp.Header)
	return &Answer{Status: resp.StatusCode, Header: resp.Header, URL: u, length: resp.ContentLength, body: b}, nil
}

// newRequest returns a request for u without its user name, password and fragment.
func newRequest(method string, u *url.URL, header http.Header) *http.Request {
	bare := *u
	bare.User, bare.Fragment = nil, ""
	r := &http.Request{Method: cmp.Or(method, http.MethodGet), URL: &bare, Host: bare.Host, Header: header.Clone(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	r.Header.Set("User-Agent", "weigh (+https://github.com/weightools/safetensors)")
	// Ranges count the bytes as sent, so a compressed body would be useless.
	r.Header.Set("Accept-Encoding", "identity")
	return r
}
