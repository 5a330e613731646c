// Refs: the locations that users write, as values and as text.

package store

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unique"
)

// A Ref is the location of a checkpoint: a store, and an object or folder in it.
//
//	model.safetensors                     a file
//	models/llama/                         a directory
//	https://host/path/model.safetensors   a file on the web
//	hf://org/repo@revision/path           a repository of the Hugging Face Hub
//	s3://bucket/path                      an object, or all objects with a prefix
//	gs://bucket/path                      the same on Google Cloud Storage
//	r2://bucket/path                      the same on Cloudflare R2
//	s3://bucket/path?versionId=version    a version of an object
//	az://account/container/path           the same on Azure Blob Storage
//	oci://registry/repository:tag/path    an artifact in an OCI registry, or a file of it
//	ms://org/repo@revision/path           a model of ModelScope
//
// Refs can be compared with ==. A Ref from [Parse] contains the user name, password and query
// of a URL. Only [Ref.URL] returns them; package fmt does not print them.
type Ref struct {
	Scheme   string // such as "file", "https" or "hf", in lower case and never an alias
	Root     string // directory, scheme://host/folder, org/repo, bucket, account/container, registry/repository
	Revision string // of hf and ms, or of an object in a bucket; a tag or digest of oci; "" means the default
	Path     string // within Root, slash-separated, not escaped; "" for Root itself

	escaped string                // Path as written in a URL, if it differs from the usual escaping
	secret  unique.Handle[secret] // zero if there is none; compares by value and prints as an address
}

// A secret is the confidential part of a URL, as a URL with a fixed host. If it were a struct,
// fmt would print its fields for verbs that do not fit a pointer.
type secret string

// String returns the Ref as text that Parse accepts, without passwords and signatures.
func (r Ref) String() string {
	if scheme, ok := findScheme(r.Scheme); ok && scheme.print != nil {
		return scheme.print(r)
	}
	s := r.Scheme + "://" + r.Root
	if r.Revision != "" {
		s += "@" + url.PathEscape(r.Revision)
	}
	if r.Path != "" {
		s += "/" + r.Path
	}
	return s
}

// URL returns the URL of an http, https or az Ref, including the user name, password and query it
// was parsed with. Use it for requests, and String for printing. For another object of the
// same store, change Path first.
func (r Ref) URL() (*url.URL, error) {
	switch r.Scheme {
	case "http", "https":
	case "az":
		return r.azureURL(), nil
	default:
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

// webString returns a URL without its secrets.
func (r Ref) webString() string { return r.Root + "/" + r.escapedPath() }

// escapedPath returns Path escaped for a URL.
func (r Ref) escapedPath() string {
	// Keep the original escaping unless Path has changed: to some servers "%2F" differs from
	// "/".
	if name, err := url.PathUnescape(r.escaped); err == nil && name == r.Path {
		return r.escaped
	}
	return (&url.URL{Path: r.Path}).EscapedPath()
}

// parseLocal splits a path into a directory and a name. It does not clean the path, because
// "link/.." is not the current directory if link is a symbolic link.
func parseLocal(s string) Ref {
	s = filepath.FromSlash(s)
	volume := filepath.VolumeName(s)
	dir := s[len(volume):]
	i := len(dir)
	for i > 0 && !os.IsPathSeparator(dir[i-1]) {
		i--
	}
	name := dir[i:]
	switch name {
	case "", ".", "..":
		name = "" // all of it is the directory
	default:
		dir = dir[:i]
	}
	root := volume + trimSeparators(dir)
	switch {
	case root == "":
		root = "."
	case root == volume && !strings.HasSuffix(volume, ":"):
		// A Windows share has a root directory, but no current directory as a drive has.
		root += string(os.PathSeparator)
	}
	return Ref{Scheme: "file", Root: root, Path: name}
}

// trimSeparators removes separators at the end of dir, except if dir is a single one.
func trimSeparators(dir string) string {
	for len(dir) > 1 && os.IsPathSeparator(dir[len(dir)-1]) {
		dir = dir[:len(dir)-1]
	}
	return dir
}

// localString returns a local path. A directory ends with a separator, so that Parse returns a
// directory again.
func (r Ref) localString() string {
	if r.Root == "." && r.Path != "" {
		// Omit "./" unless the name would then parse as a drive or a URL.
		if again, err := Parse(r.Path); err == nil && again == r {
			return r.Path
		}
	}
	return joinLocal(r.Root, r.Path)
}

// joinLocal returns the path of name in dir, where "" means the current directory. Unlike
// filepath.Join it does not clean the path; see parseLocal.
func joinLocal(dir, name string) string {
	switch {
	case dir == "",
		os.IsPathSeparator(dir[len(dir)-1]),
		dir == filepath.VolumeName(dir) && dir[len(dir)-1] == ':': // the drive's current directory
		return dir + name
	}
	return dir + string(os.PathSeparator) + name
}
