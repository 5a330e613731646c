// What the Hub's refusals mean, and what to do about them.

package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

// explain makes words of a refusal of the endpoint's; those of others speak for
// themselves. The Hub says why in a header. It answers 401 for a repository that does not
// exist, as it does for one that is private, so as not to tell which.
func (h *hub) explain(a *answer) *Error {
	if !h.isEndpoint(a.url) {
		return h.explainBridge(a)
	}
	code, message := a.header.Get("X-Error-Code"), a.header.Get("X-Error-Message")
	page := strings.TrimSuffix(h.endpoint.String(), "/") + "/" + h.ref.Root
	said := func(is error, format string, args ...any) *Error {
		e := a.errorf("")
		e.Err = &saidError{fmt.Sprintf(format, args...), is}
		return e
	}
	isAnonymous := h.token() == ""
	switch {
	case code == "GatedRepo" && isAnonymous:
		return said(fs.ErrPermission, "the repository is gated: accept its terms at %s, and set HF_TOKEN or log in with `hf auth login`", page)
	case code == "GatedRepo":
		return said(fs.ErrPermission, "the repository is gated, and the token's user is not among those admitted: ask for access at %s", page)
	case code == "DisabledRepo":
		return said(fs.ErrPermission, "the repository was disabled by the Hub: see %s", page)
	case code == "RevisionNotFound":
		return said(fs.ErrNotExist, "the repository has no revision %q: see %s/tree/main for its branches and tags", h.ref.Revision, page)
	case code == "EntryNotFound":
		return said(fs.ErrNotExist, "revision %q of the repository has no such file", h.ref.Revision)
	case a.status == http.StatusUnauthorized && strings.Contains(message, "nvalid") && !isAnonymous:
		return said(fs.ErrPermission, "the token is not valid: make another at %s/settings/tokens", h.endpoint)
	case (code == "RepoNotFound" || a.status == http.StatusUnauthorized) && isAnonymous:
		return said(refusedAs(a), "there is no such repository, or it is private or gated: check the name; if it is right, set HF_TOKEN or log in with `hf auth login`")
	case code == "RepoNotFound", a.status == http.StatusUnauthorized:
		return said(refusedAs(a), "there is no such repository, or the token's user may not read it: check the name, and see %s", page)
	case a.status == http.StatusForbidden && message != "":
		return said(fs.ErrPermission, "the Hub says %.200q", message)
	}
	return nil
}

// explainBridge makes words of a refusal of the server that has the bytes, if they are too
// many for it: such files are had in chunks, by the protocol of Xet, which is not spoken
// here.
func (h *hub) explainBridge(a *answer) *Error {
	const most = 50_000_000_000 // bytes
	for _, hop := range a.hops {
		n, err := strconv.ParseInt(hop.header.Get("X-Linked-Size"), 10, 64)
		if h.isEndpoint(hop.url) && err == nil && n > most {
			e := a.refusal()
			if e.again || errors.Is(e, ErrChanged) {
				return nil // there is another reason
			}
			e.Err = errors.New("the Hub sends files of more than 50 GB by Xet alone: fetch it with `hf download`, and look at it here")
			return e
		}
	}
	return nil
}

// refusedAs returns what a refusal is to errors.Is.
func refusedAs(a *answer) error {
	if a.status == http.StatusNotFound {
		return fs.ErrNotExist
	}
	return fs.ErrPermission
}
