// Transports: for the requests of this package, and for requests of stores' own.

package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// A side transport makes requests that are not for objects, such as those for tokens. They
// are counted and limited like all others, but need no slot: requests that hold the slots may
// be waiting for the token.
type side struct{ *client }

// Transport returns a transport for requests that a store makes itself, such as those for
// tokens. It counts them, fails after the usual time of silence, and refuses them if requests
// are forbidden.
func (s *Shared) Transport() http.RoundTripper { return side{s.client} }

// RoundTrip implements [http.RoundTripper].
func (t side) RoundTrip(r *http.Request) (*http.Response, error) {
	b := &body{client: t.client, ctx: r.Context(), url: r.URL}
	var resp *http.Response
	err := ErrOffline
	if !t.offline {
		resp, err = b.send(r, 0, false)
	}
	if err != nil {
		b.Close()
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp.Body = b
	return resp, nil
}

// WithRoots returns what is shared, but with connections that trust the certificates in a file
// and no others. A transport of another type does not change.
func (s *Shared) WithRoots(file string) (*Shared, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%q has no certificates in PEM format", file)
	}
	t, ok := s.client.transport.RoundTripper.(*http.Transport)
	if !ok {
		return s, nil
	}
	t = t.Clone()
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = new(tls.Config)
	}
	t.TLSClientConfig.RootCAs = roots
	other, c := *s, *s.client
	c.transport, other.client = newGuard(t, c.transport.private), &c
	return &other, nil
}
