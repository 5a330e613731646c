// Pinning: finding out which commit a revision is, once.

package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// unpinned records that the server does not send commits, as some mirrors do not. Files are
// then checked by ETag and size only.
func (h *hub) unpinned() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.nameless {
		h.nameless = true
		h.shared.Notice(fmt.Sprintf("%s does not send commit IDs: files of different commits may be mixed", h.endpoint.Host))
	}
}

// settle records the commit. Only the first call has an effect.
func (h *hub) settle(commit string) {
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
func (h *hub) pinned() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit
}

// settled reports whether the commit is known, or known to be unavailable.
func (h *hub) settled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commit != "" || h.nameless
}

// wait waits for the turn to find out the commit.
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

// pinInTurn finds out the commit of the revision and returns it, or the revision if the server
// does not send commits. The caller has the turn.
func (h *hub) pinInTurn(ctx context.Context) (string, error) {
	if h.settled() {
		return cmp.Or(h.pinned(), h.ref.Revision), nil
	}
	var said struct {
		SHA string `json:"sha"`
	}
	_, err := h.document(ctx, h.revision(), &said)
	if local := cmp.Or(h.local.commit(h.ref.Revision), h.savedCommit()); local != "" && isUnreached(err) {
		if !h.offline.Load() {
			h.shared.Notice(fmt.Sprintf("%s cannot be reached: reading %s from the local cache", h.endpoint.Host, h.ref))
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
func (h *hub) revision() *url.URL {
	return h.url("api/"+h.kind+"/"+h.repo+"/revision/", h.ref.Revision, "")
}

// savedCommit returns the commit of the revision in an earlier run, or "". If there is one, it
// is worth asking for the commit first, because files of the same commit are cached.
func (h *hub) savedCommit() string {
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

// isCommit reports whether a revision is a full commit ID, which never moves.
func isCommit(s string) bool { return isHex(s, 40) }

// isHex reports whether s consists of n hexadecimal digits in lower case.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
