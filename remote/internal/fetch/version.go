// Versions of an object: what identifies one.

package fetch

import (
	"mime"
	"net/http"
	"time"
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
