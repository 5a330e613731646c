// The Hub's refusals in words, with advice.

package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// explain turns a refusal into an error. The Hub sends a code in a header. For a repository
// that does not exist it answers 401, the same as for a private one.
func (h *api) explain(a *fetch.Answer) *fetch.Error {
	if !h.isEndpoint(a.URL) {
		return h.explainBridge(a)
	}
	code, message := a.Header.Get("X-Error-Code"), a.Header.Get("X-Error-Message")
	page := h.site() + "/" + h.ref.Root
	said := func(is error, format string, args ...any) *fetch.Error {
		e := a.Errorf("")
		e.Err = fetch.Reason(is, fmt.Sprintf(format, args...))
		return e
	}
	isAnonymous := h.token() == ""
	switch {
	case code == "GatedRepo" && isAnonymous:
		return said(fs.ErrPermission, "the repository is gated: accept its terms at %s, and "+
			"set HF_TOKEN or log in with `hf auth login`", page)
	case code == "GatedRepo":
		return said(fs.ErrPermission, "the repository is gated, and the token's user has no access: request it at %s", page)
	case code == "DisabledRepo":
		return said(fs.ErrPermission, "the Hub has disabled the repository: see %s", page)
	case code == "RevisionNotFound":
		return said(fs.ErrNotExist, "the repository has no revision %q: see %s/tree/main for its branches and tags",
			h.ref.Revision, page)
	case code == "EntryNotFound":
		return said(fs.ErrNotExist, "revision %q of the repository has no such file", h.ref.Revision)
	case a.Status == http.StatusUnauthorized && strings.Contains(message, "nvalid") && !isAnonymous:
		return said(fs.ErrPermission, "the token is not valid: create another one at %s/settings/tokens", h.site())
	case (code == "RepoNotFound" || a.Status == http.StatusUnauthorized) && isAnonymous:
		return said(refusedAs(a), "the repository does not exist, or is private or gated: "+
			"check the name; if it is right, set HF_TOKEN or log in with `hf auth login`")
	case code == "RepoNotFound", a.Status == http.StatusUnauthorized:
		return said(refusedAs(a), "the repository does not exist, or the token's user may not read it: check the "+
			"name, and see %s", page)
	case a.Status == http.StatusForbidden && message != "":
		return said(fs.ErrPermission, "the Hub says %.200q", message)
	}
	return nil
}

// explainBridge explains a refusal of the server that has the bytes, if the file is too large
// for it. Such files can only be downloaded in chunks by the Xet protocol, which this package
// does not implement.
func (h *api) explainBridge(a *fetch.Answer) *fetch.Error {
	const most = 50_000_000_000 // bytes
	for _, hop := range a.Hops {
		n, err := strconv.ParseInt(hop.Header.Get("X-Linked-Size"), 10, 64)
		if h.isEndpoint(hop.URL) && err == nil && n > most {
			e := a.Refusal()
			if e.Temporary() || errors.Is(e, fetch.ErrChanged) {
				return nil // there is another reason
			}
			e.Err = errors.New("the Hub serves files above 50 GB only by Xet: " +
				"download it with `hf download`, and read the local copy")
			return e
		}
	}
	return nil
}

// refusedAs returns what errors.Is takes a refusal for.
func refusedAs(a *fetch.Answer) error {
	if a.Status == http.StatusNotFound {
		return fs.ErrNotExist
	}
	return fs.ErrPermission
}
