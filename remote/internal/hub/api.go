// Requests to the Hub: URLs, the name of the repository, and the token.

package hub

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// An api makes requests for one revision of a repository.
type api struct {
	shared   *fetch.Shared
	endpoint *url.URL
	ref      store.Ref // without a path
	given    string    // the token of the Opener; "" if it has none
	kind     string    // "models", "datasets", "spaces" or "kernels"
	repo     string    // org/repo, as in the ref
	offline  atomic.Bool
	renamed  atomic.Pointer[string] // the name that the Hub redirects to; nil if it does not
}

// name returns the name of the repository: the new one, once that is known.
func (h *api) name() string {
	if renamed := h.renamed.Load(); renamed != nil {
		return *renamed
	}
	return h.repo
}

// learnName takes the new name of a repository that was renamed from the redirects of an answer, so that later
// requests are not redirected. It reports whether the name is new.
func (h *api) learnName(a *fetch.Answer) bool {
	for _, hop := range append(a.Hops, a)[1:] {
		path, ok := strings.CutPrefix(hop.URL.EscapedPath(), h.endpoint.EscapedPath()+"/")
		if !ok || !h.isEndpoint(hop.URL) {
			continue
		}
		if of, isAPI := strings.CutPrefix(path, "api/"+h.kind+"/"); isAPI {
			path = of
		} else if h.kind != "models" {
			path = strings.TrimPrefix(path, h.kind+"/")
		}
		for _, verb := range []string{"/resolve/", "/revision/", "/tree/"} {
			name, _, ok := strings.Cut(path, verb)
			if ok && isName(name) && name != h.name() {
				h.renamed.Store(&name)
				return true
			}
		}
	}
	return false
}

// isName reports whether a string may be the name of a repository, with or without an organization.
func isName(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return store.CheckName(s) == nil && strings.Count(s, "/") <= 1 && strings.Trim(s, letters+"/") == ""
}

// url returns a URL of the endpoint. The revision is escaped to be one path element.
func (h *api) url(before, revision, after string) *url.URL {
	u := *h.endpoint
	u.Path += "/" + before + revision + after
	u.RawPath = h.endpoint.EscapedPath() + "/" + (&url.URL{Path: before}).EscapedPath() + url.PathEscape(revision)
	for i, element := range strings.Split(after, "/") {
		if i > 0 {
			u.RawPath += "/"
		}
		u.RawPath += url.PathEscape(element)
	}
	return &u
}

// token returns the token for the endpoint, or "".
func (h *api) token() string {
	if h.given != "" {
		return h.given
	}
	return envToken(h.shared)
}

// access sends the token to the endpoint and to no other server.
func (h *api) access(r *http.Request) error {
	if !h.isEndpoint(r.URL) {
		return nil
	}
	if token := h.token(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// site returns the URL of the endpoint for printing, without a slash at its end.
func (h *api) site() string { return strings.TrimSuffix(fetch.Shown(h.endpoint), "/") }

func (h *api) isEndpoint(u *url.URL) bool { return fetch.Origin(u) == fetch.Origin(h.endpoint) }
