// Authorization of requests: the challenge of a registry, and tokens.

package oci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// A login authorizes requests to one repository, in the way that the registry asks for.
type login struct {
	shared     *fetch.Shared
	host       string // of the registry, as users write it
	repository string
	origin     string // of the registry

	mu      sync.Mutex
	asked   challenge   // what the registry asked for; zero if it did not
	answers challenge   // what requests are authorized for: asked, once it is accepted
	round   int         // how often a refusal has changed the fields below
	known   *credential // nil until it is needed
	token   auth.Token
}

// A challenge is how a registry wants to be asked (RFC 9110, section 11, and the specification of Docker's tokens).
type challenge struct{ scheme, realm, service string }

// parameter is a parameter of a challenge.
var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([a-zA-Z_]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))`)
})

// parseChallenge returns the challenge of a list of headers that can be answered: bearer is preferred.
func parseChallenge(fields []string) (c challenge) {
	for _, field := range fields {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(field), " ")
		scheme = strings.ToLower(scheme)
		if scheme != "bearer" && (scheme != "basic" || c.scheme != "") {
			continue
		}
		c = challenge{scheme: scheme}
		for _, p := range parameter().FindAllStringSubmatch(rest, -1) {
			switch value := p[2] + p[3]; strings.ToLower(p[1]) {
			case "realm":
				c.realm = value
			case "service":
				c.service = value
			}
		}
	}
	return c
}

// access authorizes a request to the registry, and leaves requests to other servers unchanged.
func (l *login) access(r *http.Request) error {
	if fetch.Origin(r.URL) != l.origin {
		return nil
	}
	if strings.Contains(r.URL.Path, "/manifests/") {
		r.Header.Set("Accept", accepted)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers.scheme == "" {
		return nil
	}
	if l.known == nil {
		known, err := findCredential(r.Context(), l.shared, l.host, l.repository)
		if err != nil {
			return fetch.Reason(fs.ErrPermission, err.Error())
		}
		l.known = known
	}
	switch {
	case l.answers.scheme == "basic":
		if l.known.user != "" {
			r.SetBasicAuth(l.known.user, l.known.password)
		}
		return nil
	case !l.token.Valid():
		if err := l.obtain(r.Context()); err != nil {
			return err
		}
	}
	l.token.Authorize(r)
	return nil
}

// try calls do, and once more if the registry refuses it and there is another way to authorize it.
func (l *login) try(do func() error) error {
	l.mu.Lock()
	before := l.round
	l.mu.Unlock()
	err := do()
	var refused *fetch.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || !l.improve(before) {
		return err
	}
	return do()
}

// improve changes how requests are authorized after a refusal in some round. It reports whether something has changed.
func (l *login) improve(round int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.round != round: // another goroutine did
		return true
	case l.answers != l.asked:
		l.answers = l.asked
	case l.token == (auth.Token{}):
		return false
	}
	l.token = auth.Token{}
	l.round++
	return true
}

// obtain obtains a token for pulling. The caller holds the lock.
func (l *login) obtain(ctx context.Context) error {
	if l.known.token != "" {
		l.token = auth.NewToken(l.known.token, time.Hour)
		return nil
	}
	realm, err := l.realm()
	if err != nil {
		return err
	}
	query := url.Values{"scope": {"repository:" + l.repository + ":pull"}}
	if l.answers.service != "" {
		query.Set("service", l.answers.service)
	}
	status, text, err := l.ask(ctx, realm, query)
	switch {
	case err != nil:
		return fmt.Errorf("no token from %s: %w", realm.Host, err)
	case status != http.StatusOK:
		return l.refused(realm, status)
	}
	if l.token, err = auth.ParseToken(text); err != nil {
		return fmt.Errorf("no token from %s: the answer is not one with a token", realm.Host)
	}
	return nil
}

// realm returns the URL for tokens. The registry names it, and credentials are sent to it: it has to be as private as
// the registry, and must not lead into networks that the registry is not in.
func (l *login) realm() (*url.URL, error) {
	u, err := url.Parse(l.answers.realm)
	registry, _ := url.Parse(l.origin)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s asks for a token of an invalid URL", l.host)
	case u.Scheme == "http" && registry.Scheme == "https":
		return nil, fmt.Errorf("%s asks for a token over http, which is not sent credentials", l.host)
	case isInternal(u.Hostname()) && !isInternal(registry.Hostname()):
		return nil, fmt.Errorf("%s asks for a token of %s, an address of a private network", l.host, u.Host)
	}
	return u, nil
}

// ask makes a request for a token: with the identity token that a login has left, as a form that not all servers know,
// or else as the request that all of them know.
func (l *login) ask(ctx context.Context, realm *url.URL, query url.Values) (status int, text []byte, err error) {
	if l.known.identity != "" {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {l.known.identity}, "client_id": {"weigh"},
			"scope": query["scope"], "service": {l.answers.service}}
		status, text, err = auth.Request(ctx, l.shared, func() (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, realm.String(), strings.NewReader(form.Encode()))
			if err == nil {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			return r, err
		})
		if err != nil || status != http.StatusNotFound {
			return status, text, err
		}
	}
	u := *realm
	values := u.Query()
	maps.Copy(values, query)
	u.RawQuery = values.Encode()
	return auth.Request(ctx, l.shared, func() (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		switch {
		case err != nil:
		case l.known.identity != "":
			r.SetBasicAuth("<token>", l.known.identity)
		case l.known.user != "":
			r.SetBasicAuth(l.known.user, l.known.password)
		}
		return r, err
	})
}

// refused returns the error for a refusal of a token.
func (l *login) refused(realm *url.URL, status int) error {
	text := fmt.Sprintf("no token from %s: %d %s", realm.Host, status, http.StatusText(status))
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		text = fmt.Sprintf("no token from %s: %s", realm.Host, l.advice())
	}
	return fetch.Reason(fs.ErrPermission, text)
}

// advice says what to do about a refusal.
func (l *login) advice() string {
	if l.known == nil || l.known.what == "" {
		return fmt.Sprintf("there is no such repository, or it requires a login: run `docker login %s`", l.host)
	}
	return fmt.Sprintf("the registry does not accept %s: run `docker login %s` again", l.known.what, l.host)
}

// isInternal reports whether a host is an address of a private network or of this machine.
func isInternal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && fetch.IsPrivate(ip)
}

// accepted are the types of manifests and indexes, by the OCI Image Specification and by Docker.
const accepted = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, " +
	"application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json"
