// Package auth finds what stores need to reach an account: endpoints, tokens, and what other programs know.
package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// A Token is a bearer token. The zero Token is not valid.
type Token struct {
	text  string
	renew time.Time
}

// NewToken returns a token that expires after some time. It is to be replaced after three quarters of that.
func NewToken(text string, life time.Duration) Token {
	return Token{text, time.Now().Add(life * 3 / 4)}
}

// Valid reports whether t need not be replaced yet.
func (t Token) Valid() bool { return time.Now().Before(t.renew) }

// Authorize adds t to a request.
func (t Token) Authorize(r *http.Request) { r.Header.Set("Authorization", "Bearer "+t.text) }

// ParseToken parses the answer to a request for a token (RFC 6749, section 5.1). Some services of Azure send numbers as
// strings, or a date in place of the Unix time in expires_on. Registries may name the token "token".
func ParseToken(text []byte) (Token, error) {
	var answer struct {
		Token       string          `json:"token"`
		AccessToken string          `json:"access_token"`
		ExpiresIn   json.RawMessage `json:"expires_in"`
		ExpiresOn   json.RawMessage `json:"expires_on"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return Token{}, err
	}
	if answer.Token == "" {
		answer.Token = answer.AccessToken
	}
	if answer.Token == "" || strings.ContainsAny(answer.Token, "\r\n") {
		return Token{}, errors.New("the answer has no valid token")
	}
	const usual, most = time.Minute, 24 * time.Hour // the former by the specification of Docker's tokens
	life := usual
	if on := number(answer.ExpiresOn); on > time.Now().Unix() {
		life = time.Until(time.Unix(min(on, 1<<40), 0))
	} else if in := number(answer.ExpiresIn); in > 0 {
		life = time.Duration(min(in, int64(most/time.Second))) * time.Second
	}
	return NewToken(answer.Token, min(life, most)), nil
}

// number returns the number in a JSON value, which may be a string, or 0.
func number(value json.RawMessage) int64 {
	n, _ := strconv.ParseInt(strings.Trim(string(value), `"`), 10, 64)
	return n
}

// Request makes a request for a token, and again if it may succeed later. It returns the status and the body of the
// answer. Redirects are not followed, because the request has secrets, and errors do not contain its URL.
func Request(ctx context.Context, s *fetch.Shared, r func() (*http.Request, error)) (status int, text []byte,
	err error) {
	for pause := time.Second; ; pause *= 2 {
		request, err := r()
		if err != nil {
			return 0, nil, err
		}
		status, text, err := once(s, request)
		mayPass := err == nil && (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError)
		if !mayPass || pause > 4*time.Second {
			return status, text, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0, nil, context.Cause(ctx)
		}
	}
}

// once makes a request.
func once(s *fetch.Shared, r *http.Request) (status int, text []byte, err error) {
	client := http.Client{Transport: s.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := client.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, text, err
}

// IsLoopback reports whether a host name is the local machine, which may receive credentials over http.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
