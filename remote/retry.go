// Trying again: what for, how often, and after how long.

package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second

	// longest is how long a server may ask to wait: the window in which the Hub counts
	// requests. One that asks for more gets its way, and the caller an error.
	longest = 300 * time.Second

	// progress is how many bytes have to come before a failure counts as the first.
	progress = 64 << 10
)

// persist calls try until it succeeds, or fails with what will not pass, or too often.
// Try returns how many bytes it got: what gets on is not given up.
func (c *client) persist(ctx context.Context, try func() (int64, error)) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstPause, lastPause
	for failures := 0; ; {
		n, err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) || !e.again {
			return err
		}
		if n >= progress {
			failures = 0
			pause.Reset()
		}
		if failures++; failures > c.retries {
			return err
		}
		if e.after > longest {
			return &Error{Method: e.Method, URL: e.URL, Status: e.Status, Err: fmt.Errorf("the server asks to wait for %v", e.after)}
		}
		// What the server asks for comes on top of this, in hop: so those who were told
		// the same do not all come back at once.
		if err := sleep(ctx, pause.NextBackOff()); err != nil {
			return &Error{Method: e.Method, URL: e.URL, Err: err}
		}
	}
}

// sleep waits, or returns why the context is done.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// passes says whether an error of the network may pass. What is wrong with a name or a
// certificate stays so, and so does a budget.
func passes(err error) bool {
	var name *net.DNSError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		return !name.IsNotFound
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &authority), errors.Is(err, errBudget):
		return false
	}
	return true
}

// waitOf returns how long a server wants to be left alone, or 0. By the draft
// "RateLimit header fields for HTTP" it says how many requests remain and for how many
// seconds: that counts if none remain, and Retry-After otherwise.
func waitOf(h http.Header) time.Duration {
	if remain, reset, ok := rateLimit(h.Get("RateLimit")); ok && remain == 0 {
		return reset
	}
	after := h.Get("Retry-After")
	if n, err := strconv.ParseUint(after, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// rateLimit reads a field such as "api";r=0;t=55: how many requests remain, and after
// how long there are more.
func rateLimit(field string) (remain int64, reset time.Duration, ok bool) {
	remain = -1
	for _, part := range strings.Split(field, ";")[1:] {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			continue
		}
		switch key {
		case "r":
			remain = int64(n)
		case "t":
			reset = time.Duration(n) * time.Second
		}
	}
	return remain, reset, remain >= 0 && reset > 0
}

// Pauses are the times until which no requests are to be made, by what the server
// counts together.
type pauses struct {
	mu    sync.Mutex
	until map[string]time.Time
	told  map[string]time.Time // of which pause there was a notice
}

// bucketOf returns the name of what a server is likely to count together. The Hub
// counts requests for files apart from those to its API.
func bucketOf(u *url.URL) string {
	switch {
	case strings.HasPrefix(u.Path, "/api/"):
		return u.Host + " api"
	case strings.Contains(u.Path, "/resolve/"):
		return u.Host + " resolve"
	}
	return u.Host
}

// learn takes note of how long an answer asks to wait: everybody waits, and not only
// who was refused.
func (p *pauses) learn(bucket string, status int, h http.Header) {
	var wait time.Duration
	switch remain, reset, ok := rateLimit(h.Get("RateLimit")); {
	case ok && remain == 0:
		wait = reset
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		wait = waitOf(h)
	}
	if wait <= 0 || wait > longest {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil {
		p.until, p.told = make(map[string]time.Time), make(map[string]time.Time)
	}
	if at := time.Now().Add(wait); at.After(p.until[bucket]) {
		p.until[bucket] = at
	}
}

// wait waits until requests may be made.
func (p *pauses) wait(ctx context.Context, bucket string, notice func(string)) error {
	for {
		p.mu.Lock()
		until := p.until[bucket]
		isNews := p.told[bucket] != until
		if isNews {
			p.told[bucket] = until
		}
		p.mu.Unlock()
		d := time.Until(until)
		if d <= 0 {
			return nil
		}
		if host, _, _ := strings.Cut(bucket, " "); isNews {
			notice(fmt.Sprintf("%s limits requests: waiting for %v", host, d.Round(time.Second)))
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}
