// Pinning: finding out which commit a revision is, once.

package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/hubcache"
)

// A pin finds out the commit of a revision.
type pin struct {
	api
	local hubcache.Repo
	turn  fetch.Slots // to find out the commit

	mu       sync.Mutex
	commit   string // "" until it is known
	nameless bool   // the server does not send commits

	recalled sync.Once
	earlier  string // the commit of an earlier run, or ""
}

// unpinned records that the server does not send commits, as some mirrors do not. Files are
// then checked by ETag and size only.
func (h *pin) unpinned() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.nameless {
		h.nameless = true
		h.shared.Notice(fmt.Sprintf("%s does not send commit IDs: files of different commits may be mixed",
			h.endpoint.Host))
	}
}

// settle records the commit. Only the first call has an effect.
func (h *pin) settle(commit string) {
	h.mu.Lock()
	isFirst := h.commit == ""
	if isFirst {
		h.commit = commit
	}
	h.mu.Unlock()
	if isFirst {
		h.save(commit)
	}
}

// learn takes the commit and a new name of the repository from an answer of the Hub and its redirects. Headers
// of other servers are ignored.
func (h *pin) learn(a *fetch.Answer) {
	isNew := h.learnName(a)
	if commit := h.pinned(); isNew && commit != "" {
		h.save(commit)
	}
	for _, hop := range append(a.Hops, a) {
		if commit := hop.Header.Get("X-Repo-Commit"); h.isEndpoint(hop.URL) && hubcache.IsCommit(commit) {
			h.settle(commit)
		}
	}
}

// pinned returns the commit, or "" if it is not known.
func (h *pin) pinned() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit
}

// settled reports whether the commit is known, or known to be unavailable.
func (h *pin) settled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit != "" || h.nameless
}

// pinInTurn finds out the commit of the revision and returns it, or the revision if the server
// does not send commits. The caller has the turn.
func (h *pin) pinInTurn(ctx context.Context) (string, error) {
	if h.settled() {
		return cmp.Or(h.pinned(), h.ref.Revision), nil
	}
	var said struct {
		SHA string `json:"sha"`
	}
	_, err := h.document(ctx, h.revision(h.name()), &said)
	if local := cmp.Or(h.local.Commit(h.ref.Revision), h.savedCommit()); local != "" && isUnreached(err) {
		if !h.offline.Load() {
			h.shared.Notice(fmt.Sprintf("%s cannot be reached: reading %s from the local cache", h.endpoint.Host,
				h.ref))
		}
		h.offline.Store(true)
		h.settle(local)
		return local, nil
	}
	switch {
	case err != nil:
		return "", err
	case !hubcache.IsCommit(said.SHA):
		h.unpinned()
		return h.ref.Revision, nil
	}
	h.settle(said.SHA)
	return said.SHA, nil
}

// revision returns the URL of the API that has the commit of the revision.
func (h *pin) revision(repo string) *url.URL {
	return h.url("api/"+h.kind+"/"+repo+"/revision/", h.ref.Revision, "")
}

// save keeps the commit of the revision, and a new name of the repository, for later runs.
func (h *pin) save(commit string) {
	h.shared.Save(h.revision(h.repo), []byte(commit+" "+h.name()))
}

// savedCommit returns the commit of the revision in an earlier run, or "", and restores the name of the
// repository. If there is a commit, it is worth asking for the present one first, because files of the same
// commit are cached.
func (h *pin) savedCommit() string {
	h.recalled.Do(func() {
		commit, name, _ := strings.Cut(string(h.shared.Saved(h.revision(h.repo))), " ")
		if !hubcache.IsCommit(commit) {
			return
		}
		h.earlier = commit
		if isName(name) && name != h.repo {
			h.renamed.CompareAndSwap(nil, &name)
		}
	})
	return h.earlier
}

// document fetches an answer of the API and decodes it into v.
func (h *pin) document(ctx context.Context, u *url.URL, v any) (http.Header, error) {
	s := &fetch.Source{URL: u, Access: h.access, Explain: h.explain, Offline: h.offline.Load()}
	s.Learn = func(a *fetch.Answer, _ *fetch.Facts) error { h.learn(a); return nil }
	text, header, err := h.shared.Document(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fetch.BadDocument(u, fmt.Errorf("the answer is not valid for the Hub's API: %w", err))
	}
	return header, nil
}

// isUnreached reports whether a request failed because there was no answer.
func isUnreached(err error) bool {
	var e *fetch.Error
	var budget *fetch.BudgetError
	return errors.As(err, &e) && e.Status == 0 && !errors.As(err, &budget) && !errors.Is(err, context.Canceled)
}
