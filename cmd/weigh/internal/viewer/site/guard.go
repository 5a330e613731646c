// Package site is the site around the answers of the viewer: who may ask, the server, and the files of the page.
package site

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// policy is the Content-Security-Policy of all answers.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// A Guard rejects requests that do not come from the page that the user opened.
type Guard struct {
	token  string
	hosts  []string // accepted values of the field Host
	port   string
	anyIP  bool // the server listens on all addresses
	cookie string
}

// NewGuard returns the guard of a server that listens at addr. The given address is the one that the user named, such
// as "localhost:8080".
func NewGuard(addr net.Addr, given string) *Guard {
	g := &Guard{token: rand.Text(), hosts: []string{addr.String()}}
	host, port, _ := net.SplitHostPort(addr.String())
	g.port = port
	if ip, err := netip.ParseAddr(host); err == nil {
		g.anyIP = ip.IsUnspecified()
	}
	if name, _, err := net.SplitHostPort(given); err == nil && name != "" {
		g.hosts = append(g.hosts, net.JoinHostPort(name, port))
	}
	g.cookie = "weigh-" + port // cookies of all ports of a host are sent to each
	return g
}

// URL returns the address that the user opens.
func (g *Guard) URL() string { return "http://" + g.host() + "/?token=" + g.token }

// host returns the host for the URL: the name that the user gave, or the address.
func (g *Guard) host() string {
	if host := g.hosts[len(g.hosts)-1]; !g.anyIP {
		return host
	}
	return net.JoinHostPort("127.0.0.1", g.port)
}

// Protect returns a handler that passes only allowed requests on.
func (g *Guard) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.isHost(r.Host):
			reply.Fail(w, http.StatusForbidden,
				"unexpected host "+reply.Quoted(r.Host)+"; open the URL that weigh view printed")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			reply.Fail(w, http.StatusMethodNotAllowed, "the viewer only reads: use GET")
		case strings.HasPrefix(r.URL.Path, "/api/") && !g.isOurs(r):
			reply.Fail(w, http.StatusForbidden, "the request comes from another site")
		case !g.isKnown(w, r):
			reply.Fail(w, http.StatusForbidden, "the token is missing; open the URL that weigh view printed")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isHost reports whether the server is bound to a host. A name of another site that resolves to this address is
// refused. The address of a server that listens on all of them is not known, but only a name can be rebound.
func (g *Guard) isHost(host string) bool {
	if slices.Contains(g.hosts, host) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil || !g.anyIP || port != g.port {
		return false
	}
	_, err = netip.ParseAddr(name)
	return err == nil
}

// isOurs reports whether a request comes from a page of this server, or from no page.
func (g *Guard) isOurs(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin, is := r.Header["Origin"]
	return !is || len(origin) == 1 && origin[0] == "http://"+r.Host
}

// isKnown reports whether a request has the token, in its cookie or in its URL. The URL sets the cookie. There is no
// redirect: after a click in a page of another site, browsers would not send the cookie with it.
func (g *Guard) isKnown(w http.ResponseWriter, r *http.Request) bool {
	if c, err := r.Cookie(g.cookie); err == nil && g.isToken(c.Value) {
		return true
	}
	if !g.isToken(r.URL.Query().Get("token")) {
		return false
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	return true
}

func (g *Guard) isToken(s string) bool {
	return subtle.ConstantTimeCompare([]byte(s), []byte(g.token)) == 1
}
