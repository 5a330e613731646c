// What stores find in the environment.

package auth

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// Home returns the user's home folder, or "".
func Home(s *fetch.Shared) string { return cmp.Or(s.Env("HOME"), s.Env("USERPROFILE")) }

// InHome replaces "~" at the start of a path by the user's home folder, as shells do outside of quotes.
func InHome(s *fetch.Shared, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return Home(s) + rest
	}
	return path
}

// Endpoint parses the URL of a service. It must have the scheme http or https and no query. Slashes at its end are
// removed.
func Endpoint(text string) (u *url.URL, ok bool) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	return u, err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") && u.RawQuery == ""
}
