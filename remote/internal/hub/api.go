// Requests to the Hub: URLs, the token, and documents of its API.

package hub

import (
	"context"
	"encoding/json"
	"fmt"
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
	repo     string    // org/repo
	offline  atomic.Bool
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

func (h *api) isEndpoint(u *url.URL) bool { return fetch.Origin(u) == fetch.Origin(h.endpoint) }

// document fetches an answer of the API and decodes it into v.
func (h *api) document(ctx context.Context, u *url.URL, v any) (http.Header, error) {
	s := &fetch.Source{URL: u, Access: h.access, Explain: h.explain, Offline: h.offline.Load()}
	text, header, err := h.shared.Document(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fetch.BadDocument(u, fmt.Errorf("the answer is not valid for the Hub's API: %w", err))
	}
	return header, nil
}
