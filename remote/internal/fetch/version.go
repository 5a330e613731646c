// Versions of an object: what identifies one, and whether an answer belongs to it.

package fetch

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/weightools/safetensors/store"
)

// A version is what the server said about an object when it was opened. All of it has to come
// again, because bytes of two versions must not be mixed.
type version struct {
	etag     string // as the server sent it; "" if it did not
	modified string // Last-Modified; "" if the server did not send it
	settled  bool   // the object cannot have changed again with the same date
	html     bool   // it is a web page
	unsized  bool   // the server did not send its size
}

// see returns the version in an answer.
func see(a *Answer) version {
	v := version{etag: a.Header.Get("ETag"), modified: a.Header.Get("Last-Modified"), html: isPage(a.Header)}
	v.unsized = a.Status == http.StatusOK && a.length < 0
	v.settle(a.Header)
	return v
}

// settle takes the age of the object from the headers of an answer. Dates have whole seconds,
// so one of the current second may soon belong to other bytes (RFC 9110, section 8.8.2.2).
func (v *version) settle(h http.Header) {
	modified, err1 := http.ParseTime(v.modified)
	now, err2 := http.ParseTime(h.Get("Date"))
	v.settled = err1 == nil && err2 == nil && now.Sub(modified) >= time.Second
}

// isPage reports whether an answer is a web page. Portals and logins send one instead of what
// was requested.
func isPage(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// Version implements [store.Version]. A weak ETag may stay the same when bytes change.
func (o *object) Version() string {
	v := o.version
	switch {
	case o.facts.SHA256 != "":
		return o.facts.SHA256
	case strings.HasPrefix(v.etag, "W/"):
		return ""
	case v.settled:
		return cmp.Or(v.etag, v.modified)
	}
	return v.etag
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

// Validators returns the ETag and the date of an object that was opened from a server, or "".
func Validators(o store.Object) string {
	if o, ok := o.(*object); ok && o.version.etag+o.version.modified != "" {
		return o.version.etag + "\n" + o.version.modified
	}
	return ""
}

// Date returns when an object was last modified, or the zero time.
func Date(o store.Object) (date time.Time) {
	if o, ok := o.(*object); ok {
		date, _ = http.ParseTime(o.version.modified)
	}
	return date
}
