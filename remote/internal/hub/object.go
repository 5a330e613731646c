// Objects on the server, at the commit.

package hub

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/hubcache"
	"github.com/weightools/safetensors/store"
)

// Objects are the files of a revision on the server.
type objects struct {
	pin
	pool   fetch.Pool
	listed map[string]file // the listed files, by path; guarded by mu
}

// fromServer opens an object on the server.
func (h *objects) fromServer(ctx context.Context, name string, n int64) (store.Object, error) {
	return h.pool.Open(ctx, name, n, func() (*fetch.Source, error) {
		s := &fetch.Source{URL: h.resolve(name), Access: h.access, Lasting: h.pinned() != "",
			Offline: h.offline.Load()}
		s.Learn = func(a *fetch.Answer, f *fetch.Facts) error {
			h.learnFile(s, a, f, name)
			return nil
		}
		s.Explain = func(a *fetch.Answer) *fetch.Error {
			h.pin.learn(a) // the Hub also says which commit lacks a file
			return h.explain(a)
		}
		return s, nil
	})
}

// resolve returns the URL of a file, at the commit if that is known.
func (h *objects) resolve(name string) *url.URL {
	prefix := ""
	if h.kind != "models" {
		prefix = h.kind + "/"
	}
	return h.url(prefix+h.name()+"/resolve/", cmp.Or(h.pinned(), h.ref.Revision), "/"+name)
}

// learnFile takes the commit, and the size and digest of large files, from the Hub's answer and
// its redirects. Headers of other servers are ignored.
func (h *objects) learnFile(s *fetch.Source, a *fetch.Answer, f *fetch.Facts, name string) {
	h.pin.learn(a)
	for _, hop := range append(a.Hops, a) {
		if !h.isEndpoint(hop.URL) {
			continue
		}
		tag := strings.Trim(strings.TrimPrefix(hop.Header.Get("X-Linked-Etag"), "W/"), `"`)
		if hubcache.IsSHA256(tag) {
			f.SHA256 = tag
		}
		if n, err := strconv.ParseInt(hop.Header.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
			f.Size = n
		}
	}
	h.mu.Lock()
	f.SHA256 = cmp.Or(f.SHA256, h.listed[name].SHA256)
	h.mu.Unlock()
	if h.pinned() == "" {
		h.unpinned()
		return
	}
	s.URL, s.Lasting = h.resolve(name), true
}
