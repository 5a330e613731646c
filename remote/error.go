// Errors of requests: what was asked, what came back, and what that means to a store.

package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"time"
)

// An Error is a request that failed. It wraps [fs.ErrNotExist] if the server says that
// there is no such object, and [fs.ErrPermission] if it wants another token, or none.
type Error struct {
	Method string
	URL    string // without query, fragment, user name and password
	Status int    // of the answer; 0 if there was none
	Err    error  // what was wrong; never nil

	again bool          // the same request may succeed later
	after time.Duration // but not before this, as the server says; 0 if it does not
}

// Error returns the error as one line. The status comes with its name, if that is all
// that is known.
func (e *Error) Error() string {
	text := e.Method + " " + e.URL + ": "
	if e.Status >= 400 {
		text += fmt.Sprintf("%d %s: ", e.Status, http.StatusText(e.Status))
	}
	return text + e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errors of objects, wrapped in an *[Error].
var (
	// ErrChanged is that of an object which was replaced while it was read.
	ErrChanged = errors.New("the object was replaced while it was read: read it again from the start")

	// ErrOffline is that of bytes which are not on this machine when no requests are to
	// be made.
	ErrOffline = errors.New("not on this machine, and no requests are made when offline")

	errSilent = errors.New("the server stopped sending")
)

// A saidError is what a server's refusal means, in words. What it is to errors.Is
// would only repeat it.
type saidError struct {
	text string
	is   error
}

func (e *saidError) Error() string { return e.text }
func (e *saidError) Unwrap() error { return e.is }

// shown returns a URL as it may be printed.
func shown(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}

// refusal returns the error of an answer that is not what was asked for.
func (a *answer) refusal() *Error {
	e := a.errorf("the server refused")
	if a.status/100 == 3 {
		e.Err = errors.New("the server redirects, and does not say where")
	}
	switch a.status {
	case http.StatusNotFound, http.StatusGone:
		e.Err = &saidError{"there is no such object", fs.ErrNotExist}
	case http.StatusUnauthorized:
		e.Err = &saidError{"the server wants to know who asks: no token, or not the right one", fs.ErrPermission}
	case http.StatusForbidden:
		e.Err = &saidError{"the server allows it to nobody, or not to you; a signed URL may have expired", fs.ErrPermission}
	case http.StatusPreconditionFailed:
		e.Err = ErrChanged
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Err = errors.New("the server is busy or broken; a later try may succeed")
		e.again, e.after = true, waitOf(a.header)
	}
	return e
}

// errorf returns an error about an answer.
func (a *answer) errorf(format string, args ...any) *Error {
	return &Error{Method: http.MethodGet, URL: shown(a.url), Status: a.status, Err: fmt.Errorf(format, args...)}
}

// broken returns the error of a request that the network failed, or of the caller's
// context if that is why.
func broken(ctx context.Context, u *url.URL, err error) error {
	e := &Error{Method: http.MethodGet, URL: shown(u), Err: err, again: passes(err)}
	if ctx.Err() != nil {
		e.Err, e.again = context.Cause(ctx), false
	}
	return e
}
