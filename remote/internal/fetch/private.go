// Redirects from public servers to private addresses.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
)

// ErrPrivate means that a public server redirects to a private address, which is not
// followed: only the servers of a private network are meant to make requests there.
var ErrPrivate = errors.New("a public server redirects to a private address, which is not followed")

// privateRanges are special-purpose addresses (RFC 6890) for which [netip.Addr] has no method.
var privateRanges = sync.OnceValue(func() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"), // shared by the customers of a provider
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("fec0::/10"), // once site-local
	}
})

// translated returns the IPv6 addresses that end in an IPv4 address (RFC 6052).
var translated = sync.OnceValue(func() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") })

// IsPrivate reports whether an address is not one of the public network: private, loopback,
// link-local (where clouds have the credentials of a machine) or of another special purpose.
func IsPrivate(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if translated().Contains(a) {
		b := a.As16()
		a, _ = netip.AddrFromSlice(b[12:])
	}
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	for _, r := range privateRanges() {
		if r.Contains(a) {
			return true
		}
	}
	return false
}

// A guard makes requests by a transport. Those to which redirects of public servers lead it
// makes over connections of their own, to no private address.
type guard struct {
	http.RoundTripper
	private func(netip.Addr) bool
	proxy   func(*http.Request) (*url.URL, error) // may be nil
	guarded *http.Transport                       // nil for a transport of a type that cannot be guarded
}

// newGuard returns a guard for the requests of a transport.
func newGuard(rt http.RoundTripper, private func(netip.Addr) bool) guard {
	g := guard{RoundTripper: rt, private: private}
	t, ok := rt.(*http.Transport)
	if !ok {
		return g
	}
	g.proxy = t.Proxy
	t = t.Clone()
	t.Proxy = nil
	if t.DialContext == nil {
		t.DialContext, t.ForceAttemptHTTP2 = new(net.Dialer).DialContext, true
	}
	t.DialContext = g.dialer(t.DialContext)
	if t.DialTLSContext != nil {
		t.DialTLSContext = g.dialer(t.DialTLSContext)
	}
	g.guarded = t
	return g
}

// A dialFunc is the type of http.Transport.DialContext.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns a function that dials like dial, and closes a connection to a private
// address before anything is sent. The address that a name has is known only then.
func (g *guard) dialer(dial dialFunc) dialFunc {
	private := g.private
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if a, ok := addrOf(conn); ok && private(a) {
			conn.Close()
			return nil, fmt.Errorf("%w: %s", ErrPrivate, a)
		}
		return conn, nil
	}
}

// addrOf returns the address of the server of a connection, if it has one.
func addrOf(c net.Conn) (netip.Addr, bool) {
	a, err := netip.ParseAddrPort(c.RemoteAddr().String())
	return a.Addr(), err == nil
}

// roundTrip makes a request, and reports whether its server has a public address. After a
// redirect of a public server it makes none to a private address, unless a proxy makes the
// connection, which then has to decide.
func (g *guard) roundTrip(r *http.Request, redirected bool) (resp *http.Response, public bool, err error) {
	if redirected && g.guarded != nil && !g.isProxied(r) {
		resp, err = g.guarded.RoundTrip(r)
		return resp, true, err
	}
	var isPublic atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		a, ok := addrOf(info.Conn)
		isPublic.Store(ok && !g.private(a))
	}}
	resp, err = g.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	return resp, isPublic.Load(), err
}

// isProxied reports whether a request goes through a proxy.
func (g *guard) isProxied(r *http.Request) bool {
	if g.proxy == nil {
		return false
	}
	proxy, err := g.proxy(r)
	return err == nil && proxy != nil
}
