// Content-Range: which bytes of an object an answer holds.

package fetch

import (
	"net/http"
	"strconv"
	"strings"
)

// A run is the content of a Content-Range field. The size is -1 if the server does not know
// it.
type run struct{ begin, end, size int64 }

// run returns which bytes a partial answer holds.
func (a *Answer) run() (run, error) {
	field := a.Header.Get("Content-Range")
	r, ok := parseRun(field)
	if !ok {
		if kind := a.Header.Get("Content-Type"); strings.HasPrefix(kind, "multipart/") {
			return r, a.Errorf("one range was requested, and the server sends several (%.60q)", kind)
		}
		return r, a.Errorf("the server sends a part of the object with an invalid Content-Range: %.80q", field)
	}
	if a.length >= 0 && a.length != r.end-r.begin {
		return r, a.Errorf("the server sends %d bytes and labels them as bytes %d to %d", a.length, r.begin, r.end-1)
	}
	return r, nil
}

// firstRun is run for an answer that must hold the start of the object and its size.
func (a *Answer) firstRun() (run, error) {
	r, err := a.run()
	switch {
	case err != nil:
	case r.begin != 0:
		err = a.Errorf("byte 0 was requested, and the server sends bytes from %d on", r.begin)
	case r.size < 0:
		err = a.Errorf("the server does not send the size of the object: Content-Range is %.80q",
			a.Header.Get("Content-Range"))
	}
	return r, err
}

// usable returns an error if the body is encoded, or if the answer contradicts itself.
func (a *Answer) usable() error {
	if field := a.Header.Get("Content-Range"); a.Status == http.StatusOK && field != "" {
		return a.Errorf("the server sends the whole object with status 200, and labels it as a part (Content-Range %.80q)",
			field)
	}
	return a.uncoded()
}

// uncoded returns an error if the body is compressed or otherwise encoded. Some servers of
// S3's interface return the "aws-chunked" of the upload, although they have decoded it.
func (a *Answer) uncoded() error {
	for coding := range strings.SplitSeq(strings.Join(a.Header.Values("Content-Encoding"), ","), ",") {
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "", "identity", "aws-chunked":
			continue
		}
		return a.Errorf("the server sends the object with encoding %.40q, although identity was requested; offsets "+
			"would be wrong", strings.TrimSpace(coding))
	}
	return nil
}

// parseRun parses "bytes 0-99/1234" or "bytes 0-99/*". The end is exclusive.
func parseRun(s string) (r run, ok bool) {
	unit, s, ok := strings.Cut(s, " ")
	ok = ok && strings.EqualFold(unit, "bytes")
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

// parseSize parses a number of bytes. It accepts at most 62 bits, so sums cannot overflow.
func parseSize(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 62)
	return int64(n), err
}
