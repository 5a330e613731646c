// Pinning: finding out which commit a revision is, once.

package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// A pin finds out the commit of a revision.
type pin struct {
	api
	local localRepo
	turn  chan struct{} // holds a token while a goroutine finds out the commit

	mu       sync.Mutex
	commit   string // "" until it is known
	nameless bool   // the server does not send commits
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
		h.shared.Save(h.revision(), []byte(commit))
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

// wait waits for the turn to find out the commit.
func (h *pin) wait(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case h.turn <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (h *pin) leave() { <-h.turn }

// pinInTurn finds out the commit of the revision and returns it, or the revision if the server
// does not send commits. The caller has the turn.
func (h *pin) pinInTurn(ctx context.Context) (string, error) {
	if h.settled() {
		return cmp.Or(h.pinned(), h.ref.Revision), nil
	}
	var said struct {
		SHA string `json:"sha"`
	}
	_, err := h.document(ctx, h.revision(), &said)
	if local := cmp.Or(h.local.commit(h.ref.Revision), h.savedCommit()); local != "" && isUnreached(err) {
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
	case !isCommit(said.SHA):
		h.unpinned()
		return h.ref.Revision, nil
	}
	h.settle(said.SHA)
	return said.SHA, nil
}

// revision returns the URL of the API that has the commit of the revision.
func (h *pin) revision() *url.URL {
	return h.url("api/"+h.kind+"/"+h.repo+"/revision/", h.ref.Revision, "")
}

// savedCommit returns the commit of the revision in an earlier run, or "". If there is one, it
// is worth asking for the commit first, because files of the same commit are cached.
func (h *pin) savedCommit() string {
	if commit := string(h.shared.Saved(h.revision())); isCommit(commit) {
		return commit
	}
	return ""
}

// isUnreached reports whether a request failed because there was no answer.
func isUnreached(err error) bool {
	var e *fetch.Error
	var budget *fetch.BudgetError
	return errors.As(err, &e) && e.Status == 0 && !errors.As(err, &budget) && !errors.Is(err, context.Canceled)
}
