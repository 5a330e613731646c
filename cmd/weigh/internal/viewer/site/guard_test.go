package site_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/site"
)

type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

var _ net.Addr = address("")

// Only requests of the page that the user opened are answered.
func TestGuard(t *testing.T) {
	g := site.NewGuard(address("127.0.0.1:8080"), "localhost:0")
	served := g.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	token := g.URL()[strings.Index(g.URL(), "token=")+len("token="):]
	if !strings.HasPrefix(g.URL(), "http://localhost:8080/?token=") || len(token) < 26 {
		t.Error(g.URL())
	}
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, g.URL(), nil))
	cookies := w.Result().Cookies()
	if w.Code != 200 || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("%d, %v", w.Code, cookies)
	}
	csp := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'") {
		t.Errorf("policy %q", csp)
	}
	for _, c := range []struct {
		what, method, url, host string
		cookie                  bool
		header                  [2]string
		status                  int
	}{
		{"cookie", "GET", "/api/session", "", true, [2]string{}, 200},
		{"page", "GET", "/tensors?sort=bytes", "", true, [2]string{}, 200},
		{"no cookie", "GET", "/api/session", "", false, [2]string{}, 403},
		{"no cookie for the page", "GET", "/", "", false, [2]string{}, 403},
		{"wrong token", "GET", "/?token=A" + token[1:] + "B", "", false, [2]string{}, 403},
		{"address", "GET", "/api/session", "127.0.0.1:8080", true, [2]string{}, 200},
		{"rebound name", "GET", "/api/session", "evil.example:8080", true, [2]string{}, 403},
		{"another port", "GET", "/api/session", "localhost:8081", true, [2]string{}, 403},
		{"no port", "GET", "/api/session", "localhost", true, [2]string{}, 403},
		{"own origin", "GET", "/api/session", "", true, [2]string{"Origin", "http://localhost:8080"}, 200},
		{"other origin", "GET", "/api/session", "", true, [2]string{"Origin", "http://localhost:8081"}, 403},
		{"no origin", "GET", "/api/session", "", true, [2]string{"Origin", "null"}, 403},
		{"same origin", "GET", "/api/session", "", true, [2]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"same site", "GET", "/api/session", "", true, [2]string{"Sec-Fetch-Site", "same-site"}, 403},
		{"cross site", "GET", "/api/session", "", true, [2]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"writing", "POST", "/api/session", "", true, [2]string{}, 405},
	} {
		r := httptest.NewRequest(c.method, c.url, nil)
		r.Host = "localhost:8080"
		if c.host != "" {
			r.Host = c.host
		}
		if c.cookie {
			r.AddCookie(cookies[0])
		}
		if c.header[0] != "" {
			r.Header.Set(c.header[0], c.header[1])
		}
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d: %s", c.what, w.Code, c.status, w.Body)
		}
		if w.Code != 200 && len(w.Result().Cookies()) > 0 {
			t.Errorf("%s: a cookie is set", c.what)
		}
	}
	everywhere := site.NewGuard(address("[::]:8080"), "0.0.0.0:8080")
	r := httptest.NewRequest(http.MethodGet, strings.Replace(everywhere.URL(), "127.0.0.1", "192.168.1.7", 1), nil)
	for host, status := range map[string]int{"192.168.1.7:8080": 200, "[fe80::1]:8080": 200, "evil.example:8080": 403} {
		r.Host = host
		w := httptest.NewRecorder()
		everywhere.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%s: %d, want %d", host, w.Code, status)
		}
	}
}
