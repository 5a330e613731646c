// The content of an object: what is known about it, and requests for ranges of its bytes.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/weightools/safetensors/store"
)

// A Source says where to request an object.
type Source struct {
	URL    *url.URL
	Access Access

	// Explain turns a refusal into an error. If it is nil or returns nil, [Answer.Refusal]
	// does.
	Explain func(*Answer) *Error
	// Learn may check the first answer, and extract facts about the object. It may also
	// change the Source. nil means that it does nothing.
	Learn     func(*Answer, *Facts) error
	Checksums *Checksums // nil means those that any server may send
	Lasting   bool       // the content at the URL never changes
	Offline   bool       // requests are forbidden
}

// Facts are what a store knows about an object in addition to its content.
type Facts struct {
	SHA256 string     // hex; "" if unknown
	Sum    *store.Sum // another checksum; nil if unknown, or if the answer has it
	Size   int64      // announced by the server that redirects to the bytes; 0 if unknown
	Name   string     // for saving the object; "" means that the store has no other than its own
}

// A content is what is known about one object. All that have it open share it.
type content struct {
	*client
	cache  *cache
	disk   *disk // nil if nothing is kept
	source *Source
	spans  spans
	facts  Facts
	sum    sum

	size    int64
	version version
	saved   int64 // how many bytes of the start are on disk

	final  atomic.Pointer[Answer] // that redirects led to; without a body
	plain  atomic.Bool            // the server does not support ranges
	stream stream
}

// headers returns the headers of a request for a range of this version of the object.
func (o *content) headers(begin, end int64) http.Header {
	h := make(http.Header)
	if begin >= 0 {
		h.Set("Range", fmt.Sprintf("bytes=%d-%d", begin, end-1))
	}
	o.conditions(h)
	return h
}

// ask makes a request to the server that redirects led to. If that refuses, for example
// because a signature has expired, ask starts over at the source.
func (o *content) ask(ctx context.Context, h http.Header, want int64) (*Answer, error) {
	what := o.source.call(h, want)
	if final := o.final.Load(); final != nil {
		direct := *what
		direct.url, direct.redirected = final.URL, final.Hops[len(final.Hops)-1].body.public
		a, err := o.do(ctx, &direct)
		if err != nil {
			return nil, err
		}
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest:
			a.body.Close()
			o.final.CompareAndSwap(final, nil)
		default:
			return a, nil
		}
	}
	a, err := o.do(ctx, what)
	if err == nil && len(a.Hops) > 0 && a.Status < http.StatusBadRequest {
		o.final.Store(a)
	}
	return a, err
}

// call returns a request to the source.
func (s *Source) call(h http.Header, want int64) *call {
	return &call{url: s.URL, header: h, access: s.Access, want: want, offline: s.Offline}
}

// refused returns the error for a refusal.
func (s *Source) refused(a *Answer) *Error {
	if s.Explain != nil {
		if e := s.Explain(a); e != nil {
			return e
		}
	}
	return a.Refusal()
}

// fetch fills p with the bytes at off. The range must lie within the object.
func (o *content) fetch(ctx context.Context, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		err = o.persist(ctx, func() (int64, error) {
			want := len(p) - n
			m, err := o.once(ctx, p[n:], off+int64(n))
			n += m
			if err == nil && m < want && m < progress {
				err = o.short(m, want)
			}
			return int64(m), err
		})
	}
	return n, err
}

// once makes one request for the bytes at off and reads what comes. The server may announce
// fewer bytes than p takes, but not none.
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
	switch a.Status {
	case http.StatusPartialContent:
		r, err := o.sameRun(a, off)
		if err != nil {
			return 0, err
		}
		return a.fill(p[:min(int64(len(p)), r.end-off)])
	case http.StatusOK:
		o.plain.Store(true) // it supported ranges when the object was opened
		if off == 0 {
			return a.fill(p)
		}
		a.body.Close()
		return o.stream.read(ctx, o, p, off)
	}
	return 0, o.refused(a)
}

// refused returns the error for a refusal of bytes that the object has.
func (o *content) refused(a *Answer) error {
	if a.Status == http.StatusRequestedRangeNotSatisfiable {
		return a.Errorf("it is shorter than %d bytes: %w", o.size, ErrChanged)
	}
	return o.source.refused(a)
}

// short returns the error for a run that is shorter than the one requested. A server may send
// less, but with so little of it reading would never end.
func (o *content) short(n, want int) error {
	return &Error{Method: http.MethodGet, URL: Shown(o.source.URL), again: true,
		Err: fmt.Errorf("the server sends %d bytes, and %d were requested", n, want)}
}

// conditions adds the headers that make a server refuse to send another version.
func (o *content) conditions(h http.Header) {
	v := o.version
	switch {
	case o.source.Lasting: // the target of a redirect may use other ETags
	case strings.HasPrefix(v.etag, `"`):
		h.Set("If-Match", v.etag)
	case v.etag == "" && v.modified != "":
		h.Set("If-Unmodified-Since", v.modified)
	}
}

// accept returns an error if an answer belongs to another version of the object, or is
// encoded. If nothing can tell versions apart, it says so once.
func (o *content) accept(a *Answer) error {
	if a.Status != http.StatusPartialContent && a.Status != http.StatusOK {
		return nil
	}
	if err := a.usable(); err != nil {
		return err
	}
	if what := o.differs(a); what != "" {
		return a.Errorf("%s: %w", what, ErrChanged)
	}
	if !o.source.Lasting && o.version.etag == "" && o.version.modified == "" && o.facts.SHA256 == "" {
		o.unversioned.Do(func() {
			o.notice(fmt.Sprintf("%s sends neither ETag nor Last-Modified: if a file changes while it is read, "+
				"this cannot be noticed", a.URL.Host))
		})
	}
	return nil
}

// differs says in what an answer with bytes differs from the first one, or returns "".
func (o *content) differs(a *Answer) string {
	v := o.version
	now := see(a)
	switch {
	case now.html && !v.html:
		return "the server sends a web page in its place"
	case a.Status == http.StatusOK && a.length >= 0 && a.length != o.size:
		return fmt.Sprintf("its size is %d bytes, and was %d", a.length, o.size)
	case now.unsized && !v.unsized:
		return fmt.Sprintf("the server does not send its size, which was %d bytes", o.size)
	case o.source.Lasting: // other servers of the same bytes have other ETags and dates
		return ""
	case now.etag != v.etag:
		return "its ETag differs"
	case now.modified != v.modified:
		return "its date differs"
	}
	return ""
}

// sameRun returns an error unless a partial answer begins at off in an object of the known
// size. It may end early; surplus bytes are not read.
func (o *content) sameRun(a *Answer, off int64) (run, error) {
	r, err := a.run()
	switch {
	case err != nil:
		return r, err
	case r.size >= 0 && r.size != o.size:
		return r, a.Errorf("its size is %d bytes, and was %d: %w", r.size, o.size, ErrChanged)
	case r.begin != off:
		return r, a.Errorf("byte %d was requested, and the server sends bytes from %d on", off, r.begin)
	}
	return r, nil
}

// fill fills p from the body, or returns an error if the body is shorter.
func (a *Answer) fill(p []byte) (int, error) {
	n, err := io.ReadFull(a.body, p)
	var e *Error
	if err == nil || errors.As(err, &e) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	return n, a.torn(n, len(p))
}

// torn returns the error for a body that ends early.
func (a *Answer) torn(n, want int) error {
	e := a.Errorf("the server sent %d of %d bytes: %w", n, want, io.ErrUnexpectedEOF)
	e.again = true
	return e
}

// isTorn reports whether err is the error for a body that ends early.
func isTorn(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.again
}

// ends returns an error unless the body has been read to its end. Some servers tell the size of
// an object in no other way.
func (a *Answer) ends(at int64) error {
	var more [1]byte
	switch n, err := io.ReadFull(a.body, more[:]); {
	case n > 0:
		return a.Errorf("it is longer than %d bytes: %w", at, ErrChanged)
	case err != io.EOF:
		return err
	}
	return nil
}
