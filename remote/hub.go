// The Hugging Face Hub: the files of a repository at one commit.

package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors/store"
)

// A hub is the store of a repository's revision. The files that the cache of the library
// huggingface_hub has on this machine are read there.
type hub struct {
	pool
	endpoint *url.URL
	ref      store.Ref // without a path
	kind     string    // "models", "datasets", "spaces" or "kernels"
	repo     string    // org/repo
	local    localRepo
	offline  atomic.Bool

	turn chan struct{} // of those who find out the commit; holds a token while one does

	mu       sync.Mutex
	commit   string            // "" until it is known
	nameless bool              // the server does not say which commit it serves
	listed   map[string][]file // what was listed, by folder, each in the order of paths
}

// A file is what a listing says of one.
type file struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
}

func (o *Opener) openHub(ref store.Ref) (store.Store, error) {
	endpoint, err := url.Parse(strings.TrimSuffix(orElse(o.env("HF_ENDPOINT"), "https://huggingface.co"), "/"))
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, errors.New("remote: the environment variable HF_ENDPOINT is no URL of http or https")
	}
	h := &hub{pool: pool{Opener: o, parts: o.shared()}, endpoint: endpoint, ref: ref, kind: "models", repo: ref.Root, turn: make(chan struct{}, 1)}
	h.ref.Path = ""
	if strings.Count(ref.Root, "/") == 2 {
		h.kind, h.repo, _ = strings.Cut(ref.Root, "/")
	}
	if h.kind == "buckets" {
		return nil, fmt.Errorf("remote: %s: a bucket is read as s3://, with AWS_ENDPOINT_URL=https://s3.hf.co/<organization>", ref)
	}
	if h.ref.Revision == "" {
		h.ref.Revision = "main"
	}
	h.local = localRepo{filepath.Join(o.hubCache(), h.kind+"--"+strings.ReplaceAll(h.repo, "/", "--"))}
	h.offline.Store(o.Offline || isTrue(o.env("HF_HUB_OFFLINE")))
	if isCommit(h.ref.Revision) {
		h.commit = h.ref.Revision
	}
	return h, nil
}

// Open finds an object: see [store.Store].
func (h *hub) Open(ctx context.Context, name string) (store.Object, error) {
	return h.OpenHead(ctx, name, 0)
}

// OpenHead is Open with the first bytes: see [store.OpenHead].
func (h *hub) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	if err := h.wait(ctx); err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	// The answer to the first request says which commit it is of. But if there are files
	// on this machine, that has to be known before.
	if !h.settled() && !h.local.exists() && !h.offline.Load() && !h.seen() {
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

// fromServer opens an object of the server's.
func (h *hub) fromServer(ctx context.Context, name string, n int64) (store.Object, error) {
	return h.open(ctx, name, n, func() (*source, error) {
		s := &source{url: h.resolve(name), access: h.access, explain: h.explain, lasting: h.pinned() != "", offline: h.offline.Load()}
		s.learn = func(o *content, a *answer) error { return h.learn(o, a, name) }
		return s, nil
	})
}

// resolve returns the URL of a file, of the commit if that is known.
func (h *hub) resolve(name string) *url.URL {
	prefix := ""
	if h.kind != "models" {
		prefix = h.kind + "/"
	}
	return h.url(prefix+h.repo+"/resolve/", orElse(h.pinned(), h.ref.Revision), "/"+name)
}

// url returns a URL of the endpoint. The revision is one element of it, whatever is in it.
func (h *hub) url(before, revision, after string) *url.URL {
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

// access shows the token to the endpoint, and to nobody else.
func (h *hub) access(r *http.Request) error {
	if !h.isEndpoint(r.URL) {
		return nil
	}
	if token := h.token(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

func (h *hub) isEndpoint(u *url.URL) bool { return originOf(u) == originOf(h.endpoint) }

// learn takes from the answer, and from the redirects to it, what the Hub says of a file:
// the commit, and of large files the size and the digest. Where they redirect to is not
// asked.
func (h *hub) learn(o *content, a *answer, name string) error {
	for _, hop := range append(a.hops, a) {
		if !h.isEndpoint(hop.url) {
			continue
		}
		if commit := hop.header.Get("X-Repo-Commit"); isCommit(commit) {
			h.settle(commit)
		}
		tag := strings.Trim(strings.TrimPrefix(hop.header.Get("X-Linked-Etag"), "W/"), `"`)
		if isHex(tag, 64) {
			o.sha256 = tag
		}
		if n, err := strconv.ParseInt(hop.header.Get("X-Linked-Size"), 10, 64); err == nil && n > 0 {
			o.promised = n
		}
	}
	h.mu.Lock()
	o.sha256 = orElse(o.sha256, h.listedDigest(name))
	h.mu.Unlock()
	if h.pinned() == "" {
		h.giveUpPinning()
		return nil
	}
	o.source.url, o.source.lasting = h.resolve(name), true
	return nil
}

// giveUpPinning takes note that the server does not say which commit it serves, as some
// mirrors do not. Then files are held to their tags and sizes alone.
func (h *hub) giveUpPinning() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.nameless {
		h.nameless = true
		h.parts.client.notice(fmt.Sprintf("%s does not say which commit it serves: that files belong together is not certain", h.endpoint.Host))
	}
}

// settle takes note of the commit. The first one counts.
func (h *hub) settle(commit string) {
	h.mu.Lock()
	isFirst := h.commit == ""
	if isFirst {
		h.commit = commit
	}
	h.mu.Unlock()
	if isFirst {
		h.parts.disk.store(h.revision(), &entry{Size: int64(len(commit)), Len: int64(len(commit)), data: []byte(commit)})
	}
}

// pinned returns the commit, or "" if it is not known.
func (h *hub) pinned() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit
}

// settled says whether there is no more to find out about the commit.
func (h *hub) settled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit != "" || h.nameless
}

// wait waits for the turn to find out the commit. Once it is known nobody waits.
func (h *hub) wait(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case h.turn <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (h *hub) leave() { <-h.turn }

// pinInTurn finds out the commit of the revision, and returns it, or the revision if the
// server does not say. The caller has the turn.
func (h *hub) pinInTurn(ctx context.Context) (string, error) {
	if h.settled() {
		return orElse(h.pinned(), h.ref.Revision), nil
	}
	var said struct {
		SHA string `json:"sha"`
	}
	err := h.document(ctx, h.revision(), &said)
	if local := orElse(h.local.commit(h.ref.Revision), h.kept()); local != "" && isUnreached(err) {
		if !h.offline.Load() {
			h.parts.client.notice(fmt.Sprintf("%s cannot be reached: what is on this machine of %s is read", h.endpoint.Host, h.ref))
		}
		h.offline.Store(true)
		h.settle(local)
		return local, nil
	}
	switch {
	case err != nil:
		return "", err
	case !isCommit(said.SHA):
		h.giveUpPinning()
		return h.ref.Revision, nil
	}
	h.settle(said.SHA)
	return said.SHA, nil
}

// revision returns the URL that tells which commit the revision is.
func (h *hub) revision() *url.URL {
	return h.url("api/"+h.kind+"/"+h.repo+"/revision/", h.ref.Revision, "")
}

// kept returns the commit that the revision was when it was last looked at, or "".
func (h *hub) kept() string {
	if e := h.parts.disk.load(h.revision()); e != nil && isCommit(string(e.data)) {
		return string(e.data)
	}
	return ""
}

// seen says whether the revision was looked at before. Then it is worth a request to ask
// for its commit, since what is kept of that need not be asked for again.
func (h *hub) seen() bool { return h.kept() != "" }

// isUnreached says whether err is that of a server which could not be asked.
func isUnreached(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == 0 && !errors.Is(err, errBudget) && !errors.Is(err, context.Canceled)
}

// isCommit says whether a revision is the name of a commit, which never moves.
func isCommit(s string) bool { return isHex(s, 40) }

// isHex says whether s is a number of n digits, of those that Git and SHA-256 write.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
