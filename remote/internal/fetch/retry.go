// Retries: which failures, how often, and after how long.

package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

const (
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second

	// longest is the maximum waiting time that a server may ask for: the window in which
	// the Hub counts requests. Beyond it, the request fails.
	longest = 300 * time.Second

	// progress is the number of bytes after which failures are counted from zero again.
	progress = 64 << 10
)

// persist calls try until it succeeds, fails permanently, or fails too often. Try returns how
// many bytes it got; a transfer that makes progress is not given up.
func (c *client) persist(ctx context.Context, try func() (int64, error)) error {
	pause := firstPause
	for failures := 0; ; {
		n, err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) || !e.again {
			return err
		}
		if n >= progress {
			failures, pause = 0, firstPause
		}
		if failures++; failures > c.retries {
			return err
		}
		if e.after > longest {
			return &Error{Method: e.Method, URL: e.URL, Status: e.Status, Err: fmt.Errorf("the server asks to wait for %v", e.after)}
		}
		// The server's waiting time is added in hop. The random part spreads out requests
		// that were refused together.
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return &Error{Method: e.Method, URL: e.URL, Err: err}
		}
		pause = min(pause*3/2, lastPause)
	}
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
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &authority), overBudget(err):
		return false
	}
	return true
}
