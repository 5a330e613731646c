// Errors of requests: what was asked, what came back, and what it means.

package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/weightools/safetensors/store"
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
	ErrChanged = store.ErrChanged

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

// Error returns the text.
func (e *reason) Error() string { return e.text }

// Unwrap returns the error that is meant.
func (e *reason) Unwrap() error { return e.is }

// Reason returns an error that wraps is, with a different text.
func Reason(is error, text string) error { return &reason{text, is} }

// Shown returns a URL without its secrets, for printing.
func Shown(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}

// BadDocument returns the error for a document at u that cannot be decoded.
func BadDocument(u *url.URL, err error) *Error {
	return &Error{Method: http.MethodGet, URL: Shown(u), Status: http.StatusOK, Err: err}
}

// broken returns the error of a request that failed in the network. If the caller's context
// is done, that is the cause.
func broken(ctx context.Context, u *url.URL, err error) *Error {
	e := &Error{Method: http.MethodGet, URL: Shown(u), Err: inWords(err), again: passes(err)}
	if ctx.Err() != nil {
		e.Err, e.again = context.Cause(ctx), false
	}
	return e
}

// unauthorized returns the error of a request that could not be given its credentials. It may
// be repeated only if the network is the reason.
func unauthorized(ctx context.Context, u *url.URL, err error) *Error {
	e := broken(ctx, u, err)
	var name *net.DNSError
	var op *net.OpError
	if e.again && !errors.As(err, &name) && !errors.As(err, &op) {
		e.again = errors.Is(err, errSilent) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	return e
}

// inWords describes why a server cannot be reached without the terms of the network package,
// such as "dial tcp" and "lookup". The error wraps err.
func inWords(err error) error {
	var name *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return &reason{fmt.Sprintf("the host %q does not exist, or the network is down", name.Name), err}
	case errors.As(err, &name):
		return &reason{fmt.Sprintf("cannot find the address of host %q: %s", name.Name, name.Err), err}
	case errors.As(err, &dial) && dial.Op == "dial" && dial.Addr != nil:
		cause := dial.Err
		for inner := errors.Unwrap(cause); inner != nil; inner = errors.Unwrap(cause) {
			cause = inner
		}
		return &reason{fmt.Sprintf("cannot connect to %s: %s", dial.Addr, cause), err}
	}
	return err
}

// passes reports whether a network error may be temporary. Errors of names and certificates
// are permanent, and so are limits of the caller.
func passes(err error) bool {
	var name *net.DNSError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		return !name.IsNotFound
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &authority), overBudget(err),
		errors.Is(err, ErrPrivate):
		return false
	}
	return true
}
