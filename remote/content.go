// The content of an object: what is known of it, and runs of its bytes from the server.

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A source is where the bytes of an object are had.
type source struct {
	url    *url.URL
	access access

	// explain makes words of an answer that is a refusal; nil leaves it as it is.
	explain func(*answer) *Error
	// learn is told of each answer at which an object is opened. It may be nil.
	learn   func(*content, *answer) error
	lasting bool // the URL never gives other bytes
	offline bool // no requests are to be made
}

// A content is what is known of one object, for all who have opened it.
type content struct {
	*client
	cache  *cache
	disk   *disk // nil if nothing is kept
	source *source
	spans  spans

	size     int64
	etag     string // as the server gave it; "" if it did not
	modified string // Last-Modified; "" if the server did not say
	sha256   string // of all bytes in hex, where the store knows it
	promised int64  // the size by who redirects to the bytes; 0 if it does not say
	saved    int64  // how many bytes of the start the disk has

	final  atomic.Pointer[url.URL] // where redirects have led
	plain  atomic.Bool             // the server knows no ranges
	stream stream
}

// direct is the size in bytes from which on a read is not kept: whoever reads as much
// reads it once.
const direct = 1 << 20

// headers returns those of a request for a run of bytes of this version.
func (o *content) headers(begin, end int64) http.Header {
	h := make(http.Header)
	if begin >= 0 {
		h.Set("Range", fmt.Sprintf("bytes=%d-%d", begin, end-1))
	}
	switch {
	case o.source.lasting: // and where redirects lead, other tags may be in use
	case strings.HasPrefix(o.etag, `"`):
		h.Set("If-Match", o.etag)
	case o.etag == "" && o.modified != "":
		h.Set("If-Unmodified-Since", o.modified)
	}
	return h
}

// ask makes a request of the server that has the bytes: of the one that redirects led to,
// until that refuses, as it does when a signature has expired.
func (o *content) ask(ctx context.Context, h http.Header, want int64) (*answer, error) {
	what := o.source.call(h, want)
	if final := o.final.Load(); final != nil {
		direct := *what
		direct.url = final
		a, err := o.do(ctx, &direct)
		if err != nil {
			return nil, err
		}
		switch a.status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest:
			a.body.Close()
			o.final.CompareAndSwap(final, nil)
		default:
			return a, nil
		}
	}
	a, err := o.do(ctx, what)
	if err == nil && len(a.hops) > 0 && a.status < http.StatusBadRequest {
		o.final.Store(a.url)
	}
	return a, err
}

// call returns a request to the source.
func (s *source) call(h http.Header, want int64) *call {
	return &call{url: s.url, header: h, access: s.access, want: want, offline: s.offline}
}

// refused returns the error of a refusal.
func (s *source) refused(a *answer) *Error {
	if s.explain != nil {
		if e := s.explain(a); e != nil {
			return e
		}
	}
	return a.refusal()
}

// fetch fills p with the bytes at off. All of it lies within the object.
func (o *content) fetch(ctx context.Context, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		err = o.persist(ctx, func() (int64, error) {
			m, err := o.once(ctx, p[n:], off+int64(n))
			n += m
			return int64(m), err
		})
	}
	return n, err
}

// once makes one request for the bytes at off, and reads as many as come. That may be
// fewer than p takes, if the server has said so; but never none.
func (o *content) once(ctx context.Context, p []byte, off int64) (int, error) {
	if o.plain.Load() {
		return o.stream.read(ctx, o, p, off)
	}
	a, err := o.ask(ctx, o.headers(off, off+int64(len(p))), int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer a.body.Close()
	if err := o.accept(a); err != nil {
		return 0, err
	}
	switch a.status {
	case http.StatusPartialContent:
		r, err := o.sameRun(a, off)
		if err != nil {
			return 0, err
		}
		return a.fill(p[:min(int64(len(p)), r.end-off)])
	case http.StatusOK:
		o.plain.Store(true) // from now on, though not when it was opened
		if off == 0 {
			return a.fill(p)
		}
		a.body.Close()
		return o.stream.read(ctx, o, p, off)
	}
	return 0, o.source.refused(a)
}

// fill fills p, or says that the body has ended before.
func (a *answer) fill(p []byte) (int, error) {
	n, err := io.ReadFull(a.body, p)
	var e *Error
	if err == nil || errors.As(err, &e) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	return n, a.torn(n, len(p))
}

// isTorn says whether err is that of a body which ends early.
func isTorn(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.again
}

// torn returns the error of a body that ends early.
func (a *answer) torn(n, want int) error {
	e := a.errorf("%d bytes were to come, and %d came: %w", want, n, io.ErrUnexpectedEOF)
	e.again = true
	return e
}

// accept returns an error if an answer is of another version of the object, or of bytes
// that are not the object's own.
func (o *content) accept(a *answer) error {
	if a.status != http.StatusPartialContent && a.status != http.StatusOK {
		return nil
	}
	if err := a.uncoded(); err != nil {
		return err
	}
	etag, modified := a.header.Get("ETag"), a.header.Get("Last-Modified")
	switch {
	case o.source.lasting && a.status == http.StatusPartialContent:
		return nil
	case etag != "" && o.etag != "" && strings.TrimPrefix(etag, "W/") != strings.TrimPrefix(o.etag, "W/"):
	case o.etag == "" && modified != "" && o.modified != "" && modified != o.modified:
	case a.status == http.StatusOK && a.length >= 0 && a.length != o.size:
	default:
		return nil
	}
	return a.errorf("%w", ErrChanged)
}

// uncoded returns an error if the body is not the object's bytes as they are.
func (a *answer) uncoded() error {
	if coding := a.header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return a.errorf("the server sends the object as %.40q, though it was asked not to: offsets mean nothing in that", coding)
	}
	return nil
}

// sameRun returns an error unless a partial answer begins at off, in an object of the
// size that is known. It may end early, and what is too much is not read.
func (o *content) sameRun(a *answer, off int64) (run, error) {
	r, err := a.run()
	switch {
	case err != nil:
		return r, err
	case r.size >= 0 && r.size != o.size:
		return r, a.errorf("it has %d bytes, and had %d: %w", r.size, o.size, ErrChanged)
	case r.begin != off:
		return r, a.errorf("byte %d was asked for, and the server sends bytes from %d on", off, r.begin)
	}
	return r, nil
}

// A run is what a Content-Range says. Size is -1 if the server does not know it.
type run struct{ begin, end, size int64 }

// run returns what a partial answer has.
func (a *answer) run() (run, error) {
	field := a.header.Get("Content-Range")
	r, ok := parseRun(field)
	if !ok {
		if kind := a.header.Get("Content-Type"); strings.HasPrefix(kind, "multipart/") {
			return r, a.errorf("one run of bytes was asked for, and the server sends several (%.60q)", kind)
		}
		return r, a.errorf("the server sends a part, and does not say which: Content-Range is %.80q", field)
	}
	if a.length >= 0 && a.length != r.end-r.begin {
		return r, a.errorf("the server sends %d bytes, and says that they are bytes %d to %d", a.length, r.begin, r.end-1)
	}
	return r, nil
}

// parseRun reads "bytes 0-99/1234" or "bytes 0-99/*". The end is one past the last.
func parseRun(s string) (r run, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	span, size, ok2 := strings.Cut(s, "/")
	first, last, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return run{}, false
	}
	begin, err1 := parseSize(first)
	end, err2 := parseSize(last)
	r = run{begin, end + 1, -1}
	var err3 error
	if size != "*" {
		r.size, err3 = parseSize(size)
	}
	if err1 != nil || err2 != nil || err3 != nil || r.begin >= r.end || r.size >= 0 && r.end > r.size {
		return run{}, false
	}
	return r, true
}

// parseSize reads a number of bytes, of at most 62 bits, so that sums do not overflow.
func parseSize(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 62)
	return int64(n), err
}

// obtain fetches spans that were claimed, several at once, and settles them.
func (o *content) obtain(ctx context.Context, mine []*span) error {
	fetch := func(s *span) error {
		data := make([]byte, s.end-s.begin)
		_, err := o.fetch(ctx, data, s.begin)
		o.cache.settle(s, data, err)
		return err
	}
	if len(mine) == 1 {
		return fetch(mine[0])
	}
	var all errgroup.Group
	for _, s := range mine {
		all.Go(func() error { return fetch(s) })
	}
	return all.Wait()
}
