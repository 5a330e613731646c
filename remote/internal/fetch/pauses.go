// Rate limits: how long a server asks to wait, and waiting.

package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longest is the maximum waiting time that a server may ask for: the window in which the Hub
// counts requests. Beyond it, the request fails.
const longest = 300 * time.Second

// waitOf returns the waiting time that a server asks for, or 0. By the draft "RateLimit
// header fields for HTTP" it sends how many requests remain and when the count is reset. That
// applies if none remain, and Retry-After otherwise.
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

// rateLimit parses a field such as "api";r=0;t=55: how many requests remain, and the time
// until the count is reset.
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

// Pauses hold the times until which no requests may be made, for each group of requests that
// a server counts together.
type pauses struct {
	mu    sync.Mutex
	until map[string]time.Time
	told  map[string]time.Time // the pauses that the user was notified of
}

// bucketOf returns the name of the group of requests that u belongs to. The Hub counts
// requests for files and requests to its API separately.
func bucketOf(u *url.URL) string {
	switch {
	case strings.HasPrefix(u.Path, "/api/"):
		return u.Host + " api"
	case strings.Contains(u.Path, "/resolve/"):
		return u.Host + " resolve"
	}
	return u.Host
}

// learn records the waiting time that an answer asks for. It applies to all requests of the
// group, not only to the one that was refused.
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

// wait returns when requests of the group may be made.
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

// sleep waits, or returns the cause if the context is done first.
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
