// Redirects of public servers to private addresses.

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors/remote"
)

// TestIsPrivate has addresses of the registries of special-purpose addresses (RFC 6890).
func TestIsPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": false, "172.15.255.255": false, "172.32.0.1": false, "100.63.0.1": false, "2606:4700::1111": false,
		"64:ff9b::808:808": false, "::ffff:8.8.8.8": false,
		"10.0.0.1": true, "172.16.0.1": true, "192.168.1.1": true, "127.0.0.1": true, "169.254.169.254": true,
		"0.0.0.0": true, "0.1.2.3": true, "100.64.0.1": true, "192.0.0.192": true, "198.18.0.1": true,
		"255.255.255.255": true, "224.0.0.1": true, "240.0.0.1": true,
		"::1": true, "::": true, "fe80::1": true, "fe80::1%eth0": true, "fd00:ec2::254": true, "fec0::1": true,
		"ff02::1": true, "::ffff:127.0.0.1": true, "::ffff:169.254.169.254": true, "64:ff9b::a9fe:a9fe": true,
	} {
		if got := remote.IsPrivate(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// A world has servers on two addresses of this machine, one of which is taken for a public
// one, and names for them.
type world struct {
	remote.Opener
	mu    sync.Mutex
	names map[string]string // host name to the address of a server
	asked map[string]int    // requests by host name
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{asked: make(map[string]int)}
	content := pattern(size)
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked[r.Host]++
		w.mu.Unlock()
		if to := strings.TrimPrefix(r.URL.Path, "/to/"); to != r.URL.Path {
			next, rest, _ := strings.Cut(to, "/to/")
			if rest != "" {
				rest = "to/" + rest
			}
			http.Redirect(rw, r, "http://"+next+"/"+rest+"?signature=secret", http.StatusFound)
			return
		}
		rw.Header().Set("ETag", `"v1"`)
		rw.Header().Set("Connection", "close")
		ranged(rw, r, content)
	})
	var addresses []string
	for _, host := range []string{"127.0.0.1", "127.0.0.2"} {
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Skip(err) // only Linux has the second one without being told
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
		s.Start()
		t.Cleanup(s.Close)
		addresses = append(addresses, l.Addr().String())
	}
	w.names = map[string]string{"public": addresses[0], "cdn": addresses[0], "private": addresses[1], "nas": addresses[1]}
	w.Transport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(address)
		w.mu.Lock()
		to := w.names[host]
		w.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, network, to)
	}}
	w.Private = func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.2") }
	return w
}

func TestPrivateRedirects(t *testing.T) {
	for _, test := range []struct {
		hosts   string // each redirects to the next one
		refused bool
	}{
		{"public", false},
		{"private", false},
		{"public cdn", false},
		{"private nas", false},
		{"private public", false},
		{"public private", true},
		{"public cdn private", true},
		{"private public nas", true},
	} {
		w := newWorld(t)
		hosts := strings.Split(test.hosts, " ")
		name := strings.TrimPrefix(fmt.Sprintf("%s/model", strings.Join(hosts, "/to/")), hosts[0]+"/")
		o, err := open(t, &w.Opener, "http://"+hosts[0]).Open(t.Context(), name)
		last := hosts[len(hosts)-1]
		switch {
		case !test.refused && err != nil:
			t.Errorf("%s: %v", test.hosts, err)
		case test.refused && (!errors.Is(err, remote.ErrPrivate) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: %v, want that the redirect is not followed", test.hosts, err)
		case test.refused && w.asked[last] > 0:
			t.Errorf("%s: the private server was asked", test.hosts)
		}
		if err == nil {
			check(t, o, pattern(size), 150_000, 100)
			o.Close()
		}
	}
}

// TestNameChangesItsAddress: the host of a redirect gets a private address later.
func TestNameChangesItsAddress(t *testing.T) {
	w := newWorld(t)
	o, err := open(t, &w.Opener, "http://public").Open(t.Context(), "to/cdn/model")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	w.mu.Lock()
	w.names["cdn"] = w.names["private"]
	before := w.asked["cdn"]
	w.mu.Unlock()
	if _, err := o.ReaderAt(t.Context()).ReadAt(make([]byte, 10), 150_000); !errors.Is(err, remote.ErrPrivate) {
		t.Errorf("the error is %v", err)
	}
	if w.asked["cdn"] != before {
		t.Error("the private server was asked")
	}
	all := newWorld(t)
	all.Private = func(netip.Addr) bool { return false }
	if _, err := open(t, &all.Opener, "http://public").Open(t.Context(), "to/private/model"); err != nil {
		t.Errorf("where no address is private: %v", err)
	}
}
