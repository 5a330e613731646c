// The store of a repository of the Hugging Face Hub at one commit.

// Package hub implements the stores of hf:// refs.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A hub is the store of one revision of a repository. It reads files from the local cache of
// the library huggingface_hub, if they are there.
type hub struct {
	lister
	pool fetch.Pool
}

// Open returns the store of ref. The token is the one of the Opener; "" means the one of the
// environment. Open makes no request.
func Open(s *fetch.Shared, token string, ref store.Ref) (store.Store, error) {
	endpoint, err := url.Parse(strings.TrimSuffix(cmp.Or(s.Env("HF_ENDPOINT"), "https://huggingface.co"), "/"))
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, errors.New("remote: the environment variable HF_ENDPOINT is not an http or https URL")
	}
	h := &hub{pool: fetch.Pool{Shared: s}}
	h.shared, h.given, h.endpoint, h.ref = s, token, endpoint, ref
	h.kind, h.repo, h.turn = "models", ref.Root, make(chan struct{}, 1)
	h.ref.Path = ""
	if strings.Count(ref.Root, "/") == 2 {
		h.kind, h.repo, _ = strings.Cut(ref.Root, "/")
	}
	if h.kind == "buckets" {
		return nil, fmt.Errorf("remote: %s: read buckets as s3://, with AWS_ENDPOINT_URL=https://s3.hf.co/<organization>",
			ref)
	}
	if h.ref.Revision == "" {
		h.ref.Revision = "main"
	}
	h.local = localRepo{filepath.Join(cacheFolder(s), h.kind+"--"+strings.ReplaceAll(h.repo, "/", "--"))}
	h.offline.Store(s.Offline() || s.EnvIsTrue("HF_HUB_OFFLINE"))
	if isCommit(h.ref.Revision) {
		h.commit = h.ref.Revision
	}
	return h, nil
}

// Open implements [store.Store].
func (h *hub) Open(ctx context.Context, name string) (store.Object, error) {
	return h.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (h *hub) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	if err := h.wait(ctx); err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	// The answer to the first request contains the commit. If files may be cached, the commit
	// is needed before that.
	if !h.settled() && !h.local.exists() && !h.offline.Load() && h.savedCommit() == "" {
		defer h.leave()
		return h.fromServer(ctx, name, n)
	}
	_, err := h.pinInTurn(ctx)
	h.leave()
	if err != nil {
		return nil, err
	}
	if o := h.local.open(ctx, h.pinned(), name); o != nil {
		return o, nil
	}
	return h.fromServer(ctx, name, n)
}

// fromServer opens an object on the server.
func (h *hub) fromServer(ctx context.Context, name string, n int64) (store.Object, error) {
	return h.pool.Open(ctx, name, n, func() (*fetch.Source, error) {
		s := &fetch.Source{URL: h.resolve(name), Access: h.access, Explain: h.explain, Lasting: h.pinned() != "",
			Offline: h.offline.Load()}
		s.Learn = func(a *fetch.Answer, f *fetch.Facts) error { return h.learn(s, a, f, name) }
		return s, nil
	})
}

// resolve returns the URL of a file, at the commit if that is known.
func (h *hub) resolve(name string) *url.URL {
	prefix := ""
	if h.kind != "models" {
		prefix = h.kind + "/"
	}
	return h.url(prefix+h.repo+"/resolve/", cmp.Or(h.pinned(), h.ref.Revision), "/"+name)
}

// learn takes the commit, and the size and digest of large files, from the Hub's answer and
// its redirects. Headers of other servers are ignored.
func (h *hub) learn(s *fetch.Source, a *fetch.Answer, f *fetch.Facts, name string) error {
	for _, hop := range append(a.Hops, a) {
		if !h.isEndpoint(hop.URL) {
			continue
		}
		if commit := hop.Header.Get("X-Repo-Commit"); isCommit(commit) {
			h.settle(commit)
		}
		tag := strings.Trim(strings.TrimPrefix(hop.Header.Get("X-Linked-Etag"), "W/"), `"`)
		if isHex(tag, 64) {
			f.SHA256 = tag
		}
		if n, err := strconv.ParseInt(hop.Header.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
			f.Size = n
		}
	}
	h.mu.Lock()
	f.SHA256 = cmp.Or(f.SHA256, h.listedDigest(name))
	h.mu.Unlock()
	if h.pinned() == "" {
		h.unpinned()
		return nil
	}
	s.URL, s.Lasting = h.resolve(name), true
	return nil
}
