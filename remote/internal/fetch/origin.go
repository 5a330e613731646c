// Origins: which servers may receive a credential.

package fetch

import (
	"net/url"
	"strings"
)

// Origin returns the scheme, host name and port of a URL, without the port if it is the
// scheme's default. Credentials are sent only to the origin they belong to.
func Origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}
