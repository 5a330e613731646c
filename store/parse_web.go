// Refs to files on web servers, and their URLs.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unique"
)

// parseWeb parses an http or https URL. A link to a repository of the Hub becomes a Ref with
// scheme hf, and one to a blob of Azure a Ref with scheme az.
func parseWeb(scheme, rest string) (Ref, error) {
	s := scheme + "://" + rest
	u, err := url.Parse(s)
	if err != nil {
		return Ref{}, webError(s)
	}
	if u.Hostname() == "" {
		return Ref{}, fmt.Errorf("no host: want %s://host/path", u.Scheme)
	}
	if link, ok := hubLink(u); ok {
		// Ignore its query, such as "?download=true", and its user name, which may be the
		// token of a Git link.
		return parseHubLink(link)
	}
	if isAzureLink(u) {
		if r, err := parseAzureLink(u); err == nil {
			return r, nil
		}
	}
	// Split before unescaping, because an escaped slash does not separate elements.
	path := u.EscapedPath()
	i := strings.LastIndexByte(path, '/')
	dir, last := path[:max(i, 0)], path[i+1:]
	name, err := url.PathUnescape(last)
	if err != nil {
		return Ref{}, err
	}
	switch {
	case name == "." || name == "..":
		dir, name = path, "" // the whole path is the folder
	case name != "" && !fs.ValidPath(name):
		return Ref{}, fmt.Errorf("last element %q cannot be the name of an object", last)
	}
	// Root stays escaped, because it is the beginning of a URL. Path is the name of an object,
	// which stores escape themselves.
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

// webError returns the error for the invalid URL s. Errors of net/url quote parts of the URL,
// so it parses s without secrets again.
func webError(s string) error {
	_, err := url.Parse(redact(s))
	var parse *url.Error
	if errors.As(err, &parse) {
		return fmt.Errorf("not a URL: %w", parse.Err)
	}
	return errors.New("not a URL: its user name, password, query or fragment is malformed")
}
