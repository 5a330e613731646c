// Refusals of registries, in words.

package oci

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// explain turns a refusal into an error that says what to do. It remembers how the registry wants to be asked.
func (a *artifact) explain(answer *fetch.Answer) *fetch.Error {
	e := answer.Refusal()
	if fetch.Origin(answer.URL) != a.origin {
		return e
	}
	code := codeOf(answer)
	isManifest := strings.Contains(answer.URL.Path, "/manifests/")
	switch {
	case answer.Status == http.StatusUnauthorized:
		a.mu.Lock()
		defer a.mu.Unlock()
		if c := parseChallenge(answer.Header.Values("WWW-Authenticate")); c.scheme != "" {
			a.asked = c
		}
		e.Err = fetch.Reason(fs.ErrPermission, a.advice())
	case answer.Status == http.StatusForbidden:
		e.Err = fetch.Reason(fs.ErrPermission, "pulling is not allowed: "+a.advice())
	case code == "NAME_UNKNOWN", code == "NAME_INVALID":
		e.Err = fetch.Reason(fs.ErrNotExist, fmt.Sprintf("there is no repository %q in %s", a.repository, a.host))
	case code == "MANIFEST_UNKNOWN", answer.Status == http.StatusNotFound && isManifest:
		e.Err = fetch.Reason(fs.ErrNotExist, fmt.Sprintf("there is no tag or manifest %q", a.ref.Revision))
	case code == "BLOB_UNKNOWN":
		e.Err = fetch.Reason(fs.ErrNotExist, "the registry has lost a layer of the artifact")
	case answer.Status == http.StatusTooManyRequests && a.host == dockerHub:
		e.Err = errors.New("the limit of Docker Hub is reached; it is higher after `docker login`")
	case code != "" && answer.Status/100 == 4 && !e.Temporary():
		e.Err = fetch.Reason(e.Err, e.Err.Error()+" ("+code+")")
	}
	return e
}

// codeOf returns the code of the first error that a registry sends as JSON, or "".
func codeOf(answer *fetch.Answer) string {
	var body struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	if json.Unmarshal([]byte(answer.Text()), &body) != nil || len(body.Errors) == 0 {
		return ""
	}
	code := body.Errors[0].Code
	if len(code) > 40 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return ""
	}
	return code
}
