// Identities: what authorizes requests, by the environment.

package azure

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// A kind is what an identity is made of.
type kind int

const (
	anonymous kind = iota
	byKey
	bySAS
	byToken
)

// An identity authorizes requests to an account.
type identity struct {
	kind    kind
	what    string // for errors: "the key in AZURE_STORAGE_KEY"
	access  fetch.Access
	expires time.Time // of a SAS; zero if unknown
}

// findIdentities returns the identities to try, the preferred one first. The order follows Azure's libraries. An
// object may be public although the credentials in the environment are for others, so anonymous access comes second.
// Running the Azure CLI takes a second, so it comes last.
func findIdentities(s *fetch.Shared, a *account) ([]*identity, error) {
	nobody := &identity{access: nothing}
	switch {
	case a.key != nil:
		return []*identity{{kind: byKey, what: "the key in " + a.setting, access: a.sign}, nobody}, nil
	case a.sas != "":
		sas := &identity{kind: bySAS, what: "the SAS in " + a.setting, access: a.addSAS, expires: expiry(a.sas)}
		return []*identity{sas, nobody}, nil
	}
	t, err := findTokens(s, a)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return []*identity{t.identity(), nobody}, nil
	}
	if t = findCLI(s); t != nil {
		return []*identity{nobody, t.identity()}, nil
	}
	return []*identity{nobody}, nil
}

// nothing authorizes nothing.
func nothing(*http.Request) error { return nil }

// addSAS adds the signature to the query.
func (a *account) addSAS(r *http.Request) error {
	r.URL.RawQuery = strings.TrimPrefix(r.URL.RawQuery+"&"+a.sas, "&")
	return nil
}

// expiry returns when a signature expires, or the zero time.
func expiry(sas string) time.Time {
	values, _ := url.ParseQuery(sas)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z", time.DateOnly} {
		if at, err := time.Parse(layout, values.Get("se")); err == nil {
			return at
		}
	}
	return time.Time{}
}

// sign signs a request with the key of the account, as in Microsoft's "Authorize with Shared Key". A signature is valid
// for one request and does not reveal the key.
func (a *account) sign(r *http.Request) error {
	r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
	text, err := a.stringToSign(r)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "SharedKey "+a.name+":"+a.mac(text))
	return nil
}

// mac returns the signature of a text.
func (a *account) mac(text string) string {
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// stringToSign returns what is signed of a request without a body.
func (a *account) stringToSign(r *http.Request) (string, error) {
	lines := []string{r.Method}
	for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type",
		"Date", "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"} {
		lines = append(lines, r.Header.Get(name))
	}
	lines = append(lines, sortedLines(r.Header, func(name string) bool { return strings.HasPrefix(name, "x-ms-") })...)
	lines = append(lines, "/"+a.name+r.URL.EscapedPath())
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", errors.New("the URL has an invalid query")
	}
	lines = append(lines, sortedLines(query, func(string) bool { return true })...)
	return strings.Join(lines, "\n"), nil
}

// sortedLines returns "name:values" for those lower-cased names that want accepts.
func sortedLines(all map[string][]string, want func(string) bool) (lines []string) {
	for name, values := range all {
		if name = strings.ToLower(name); want(name) {
			lines = append(lines, name+":"+strings.Join(slices.Sorted(slices.Values(values)), ","))
		}
	}
	slices.Sort(lines)
	return lines
}

// isPrivate reports whether a server may be sent a token, which others must not read.
func isPrivate(u *url.URL) bool {
	return u.Scheme == "https" || auth.IsLoopback(u.Hostname())
}
