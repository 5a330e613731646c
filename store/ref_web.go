// Refs to files on the web, and the URLs to ask for them with.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unique"
)

// parseWeb parses s, an http or https URL, as a Ref of that scheme, or of hf if
// it is a link to a repository of the Hub.
func parseWeb(s string) (Ref, error) {
	u, err := url.Parse(s)
	if err != nil {
		return Ref{}, webError(s)
	}
	if u.Hostname() == "" {
		return Ref{}, fmt.Errorf("no host: want %s://host/path", u.Scheme)
	}
	if isHubLink(u) {
		// Without its query and user name: "?download=true", or the token of a
		// link for git. A token for the Hub comes from elsewhere.
		return parseHubLink(u.EscapedPath())
	}
	// Divided before it is unescaped: a slash that is escaped divides nothing.
	path := u.EscapedPath()
	i := strings.LastIndexByte(path, '/')
	dir, last := path[:max(i, 0)], path[i+1:]
	name, err := url.PathUnescape(last)
	if err != nil {
		return Ref{}, err
	}
	switch {
	case name == "." || name == "..":
		dir, name = path, "" // all of it is the folder
	case name != "" && !fs.ValidPath(name):
		return Ref{}, fmt.Errorf("last element %q cannot be the name of an object", last)
	}
	// Root stays escaped, being the beginning of a URL. Path is the name of an
	// object, which a store escapes for itself.
	r := Ref{Scheme: u.Scheme, Path: name}
	r.Root = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() + dir
	if name != "" && last != r.escapedPath() {
		r.escaped = last
	}
	if u.User != nil || u.RawQuery != "" {
		hidden := url.URL{Host: "host", User: u.User, RawQuery: u.RawQuery}
		r.secret = unique.Make(secret(hidden.String()))
	}
	return r, nil
}

// webError says what is wrong with the URL s. Errors of net/url quote parts of
// the URL, so the one given is that of s without secrets.
func webError(s string) error {
	_, err := url.Parse(redact(s))
	var parse *url.Error
	if errors.As(err, &parse) {
		return fmt.Errorf("not a URL: %w", parse.Err)
	}
	return errors.New("not a URL: its user name, password, query or fragment is malformed")
}

// URL returns what to ask a server for: the URL of an http or https Ref, with
// the user name, password and query that it was parsed with. It is meant for
// requests, not for printing. The URL of another object of the same store is
// that of the Ref with another Path.
func (r Ref) URL() (*url.URL, error) {
	if r.Scheme != "http" && r.Scheme != "https" {
		return nil, fmt.Errorf("ref %q: scheme %q has no URL", r, r.Scheme)
	}
	u, err := url.Parse(r.String())
	if err != nil {
		return nil, err
	}
	if r.secret != (unique.Handle[secret]{}) {
		hidden, err := url.Parse(string(r.secret.Value()))
		if err != nil {
			return nil, errors.New("URL with a malformed user name, password or query")
		}
		u.User, u.RawQuery = hidden.User, hidden.RawQuery
	}
	return u, nil
}

// escapedPath returns Path as it stands in the URL.
func (r Ref) escapedPath() string {
	// The way it came counts where both are right: to some servers "%2F" is
	// not "/". It is of no use if Path has been changed since.
	if name, err := url.PathUnescape(r.escaped); err == nil && name == r.Path {
		return r.escaped
	}
	return (&url.URL{Path: r.Path}).EscapedPath()
}
