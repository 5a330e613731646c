// Errors of requests: what was asked, what came back, and what it means.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"time"
)

// An Error is a failed request.
type Error struct {
	Method string
	URL    string // without query, fragment, user name and password
	Status int    // of the answer; 0 if there was none
	Err    error  // the cause; never nil

	again bool          // the same request may succeed later
	after time.Duration // the server's minimum waiting time; 0 if it sent none
}

// Error returns the error as one line.
func (e *Error) Error() string {
	text := e.Method + " " + e.URL + ": "
	if e.Status >= 400 {
		text += fmt.Sprintf("%d %s: ", e.Status, http.StatusText(e.Status))
	}
	return text + e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool { return e.again }

// Errors that an *[Error] wraps.
var (
	// ErrChanged means that an object was replaced while it was read.
	ErrChanged = errors.New("the object was replaced while it was read; read it again from the start")

	// ErrOffline means that bytes are not cached and that requests are forbidden.
	ErrOffline = errors.New("not cached on this machine, and offline mode allows no requests")

	errSilent = errors.New("the server stopped sending")
)

// A reason is a refusal in words, and what errors.Is takes it for. Printing both would be
// redundant.
type reason struct {
	text string
	is   error
}

func (e *reason) Error() string { return e.text }
func (e *reason) Unwrap() error { return e.is }

// Reason returns an error with a text of its own that wraps is.
func Reason(is error, text string) error { return &reason{text, is} }

// Shown returns a URL without its secrets, for printing.
func Shown(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}

// Refusal returns the error for an answer that is not the one requested.
func (a *Answer) Refusal() *Error {
	e := a.Errorf("the server refused the request")
	if a.Status/100 == 3 {
		e.Err = errors.New("the server redirects without a location")
	}
	switch a.Status {
	case http.StatusNotFound, http.StatusGone:
		e.Err = Reason(fs.ErrNotExist, "no such object")
	case http.StatusUnauthorized:
		e.Err = Reason(fs.ErrPermission, "the server requires a token, or does not accept the one it was sent")
	case http.StatusForbidden:
		e.Err = Reason(fs.ErrPermission, "access denied; a signed URL may have expired")
	case http.StatusPreconditionFailed:
		e.Err = ErrChanged
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Err = errors.New("the server is busy or broken; try again later")
		e.again, e.after = true, waitOf(a.Header)
	}
	return e
}

// Errorf returns an error about an answer.
func (a *Answer) Errorf(format string, args ...any) *Error {
	return &Error{Method: http.MethodGet, URL: Shown(a.URL), Status: a.Status, Err: fmt.Errorf(format, args...)}
}

// BadDocument returns the error for a document at u that cannot be decoded.
func BadDocument(u *url.URL, err error) *Error {
	return &Error{Method: http.MethodGet, URL: Shown(u), Status: http.StatusOK, Err: err}
}

// broken returns the error of a request that failed in the network. If the caller's context
// is done, that is the cause.
func broken(ctx context.Context, u *url.URL, err error) error {
	e := &Error{Method: http.MethodGet, URL: Shown(u), Err: err, again: passes(err)}
	if ctx.Err() != nil {
		e.Err, e.again = context.Cause(ctx), false
	}
	return e
}
