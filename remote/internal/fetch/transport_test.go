// Requests that stores make themselves.

package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestTransportCounts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	defer server.Close()
	for _, test := range []struct {
		o    Options
		want error
	}{
		{Options{Parallel: 1}, nil},
		{Options{Offline: true}, ErrOffline},
		{Options{Meter: &Meter{MaxRequests: 1}}, &BudgetError{}},
	} {
		if test.o.Meter == nil {
			test.o.Meter = new(Meter)
		}
		s := NewShared(test.o)
		c := &http.Client{Transport: s.Transport()}
		var err error
		for range 2 {
			var resp *http.Response
			if resp, err = c.Post(server.URL, "text/plain", strings.NewReader("12345")); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
		var over *BudgetError
		switch cost := test.o.Meter.Cost(); {
		case test.want == nil && (err != nil || cost.Requests != 2 || cost.Bytes != 10):
			t.Errorf("two requests cost %+v, %v", cost, err)
		case test.want == ErrOffline && (!errors.Is(err, ErrOffline) || cost.Requests != 0):
			t.Errorf("offline, two requests cost %+v, %v", cost, err)
		case test.want != nil && test.want != ErrOffline && (!errors.As(err, &over) || cost.Requests != 1 ||
			!strings.HasPrefix(over.Error(), "the limit of 1 request is reached")):
			t.Errorf("with a limit of one, two requests cost %+v, %v", cost, err)
		}
	}
}

// TestAccessIsNotRepeated: a login that is refused is not tried again, and one that the
// network has failed is.
func TestAccessIsNotRepeated(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	unreachable := server.URL
	server.Close()
	_, broken := http.Get(unreachable)
	for _, test := range []struct {
		err  error
		want bool
	}{{errors.New("invalid_grant"), false}, {broken, true}} {
		u, _ := url.Parse("http://web.example/model?key=secret")
		err := unauthorized(context.Background(), u, test.err)
		if err.Temporary() != test.want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: temporary is %t, want %t", err, err.Temporary(), test.want)
		}
	}
}
