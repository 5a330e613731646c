package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// Answers as in RFC 6749, in Microsoft's "How to use managed identities" (2019-08-01 and 2017-09-01), and in the
// specification of Docker's tokens. A token is replaced after three quarters of its life.
func TestParseToken(t *testing.T) {
	for _, test := range []struct {
		text string
		want time.Duration // until the token is replaced; 0 if it is invalid
	}{
		{`{"access_token":"T","token_type":"bearer","expires_in":3600}`, 45 * time.Minute},
		{`{"access_token":"T","expires_in":"3600","expires_on":"946688400"}`, 45 * time.Minute}, // an hour after 2000 began
		{`{"access_token":"T","expires_on":"946688400"}`, 45 * time.Minute},
		{`{"access_token":"T","expires_on":"1/1/2000 1:00:00 AM +00:00"}`, 45 * time.Second},
		{`{"access_token":"T","expires_in":"","expires_on":1}`, 45 * time.Second},
		{`{"token":"T","expires_in":-1}`, 45 * time.Second},
		{`{"token":"T","access_token":"","issued_at":"2000-01-01T00:00:00Z"}`, 45 * time.Second},
		{`{"token":"T","expires_in":9223372036854775807}`, 18 * time.Hour},
		{`{"token":"T","expires_on":9223372036854775807}`, 18 * time.Hour},
		{`{"token":"a\r\nb"}`, 0},
		{`{"token":""}`, 0},
		{`null`, 0},
		{`<html>`, 0},
	} {
		synctest.Test(t, func(t *testing.T) { // where time begins with the year 2000
			token, err := ParseToken([]byte(test.text))
			if test.want == 0 {
				if err == nil || token.Valid() {
					t.Errorf("%s is accepted", test.text)
				}
				return
			}
			r := httptest.NewRequest(http.MethodGet, "https://host/", nil)
			token.Authorize(r)
			if got := r.Header.Get("Authorization"); err != nil || got != "Bearer T" {
				t.Fatalf("%s: %q, %v", test.text, got, err)
			}
			time.Sleep(test.want - 1)
			before := token.Valid()
			time.Sleep(time.Nanosecond)
			if after := token.Valid(); !before || after {
				t.Errorf("%s: valid %t before %v, and %t after", test.text, before, test.want, after)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Requests to busy services are repeated, and those that are refused are not.
func TestRequest(t *testing.T) {
	for _, test := range []struct {
		status []int
		want   time.Duration
	}{
		{[]int{200}, 0},
		{[]int{401}, 0},
		{[]int{302}, 0},
		{[]int{429, 503, 200}, 3 * time.Second},
		{[]int{500, 500, 500, 500}, 7 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			s := fetch.NewShared(fetch.Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				w.Header().Set("Location", "https://other/")
				w.WriteHeader(test.status[n])
				n++
				return w.Result(), nil
			})})
			began := time.Now()
			status, _, err := Request(t.Context(), s, func() (*http.Request, error) {
				return http.NewRequest(http.MethodGet, "https://host/", nil)
			})
			if err != nil || n != len(test.status) || status != test.status[n-1] || time.Since(began) != test.want {
				t.Errorf("%v: status %d, %v after %d requests in %v", test.status, status, err, n, time.Since(began))
			}
		})
	}
}

// Errors have no URL, because its query may have secrets.
func TestRequestFails(t *testing.T) {
	failed := errors.New("broken")
	s := fetch.NewShared(fetch.Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, failed
	})})
	_, _, err := Request(t.Context(), s, func() (*http.Request, error) {
		return http.NewRequest(http.MethodGet, "https://host/?client_secret=SECRET", nil)
	})
	if !errors.Is(err, failed) || strings.Contains(err.Error(), "SECRET") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(failed)
	busy := fetch.NewShared(fetch.Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
	})})
	if _, _, err := Request(ctx, busy, func() (*http.Request, error) {
		return http.NewRequest(http.MethodGet, "https://host/", nil)
	}); !errors.Is(err, failed) {
		t.Error(err)
	}
}
