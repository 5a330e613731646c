// Parsing refs: the schemes, buckets and file:// URLs.

package store

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Parse parses a path or URL. Text without a scheme is a local path, also on Windows.
//
// A scheme consists of two or more letters or digits before "://". It may be an alias: gcs://
// means gs://, and s3a:// and s3n:// mean s3://. Text that begins with "file:" or with the host of
// the Hub and a slash, as in "huggingface.co/org/repo", is also a URL. A path that looks like one
// can be written with "./" in front. Parse does not access the file system: "models/llama" has
// Root "models" and Path "llama" whether it is a file or a directory. A path with a separator
// at its end is a directory, and its Path is "".
//
// In hf://, a slash in a revision is written as %2F, except in names like refs/pr/1. The
// prefixes datasets/, spaces/, kernels/ and buckets/ of org/repo become part of Root, and models/
// is dropped. Links to huggingface.co, hf.co and the host of the environment variable HF_ENDPOINT
// are parsed as hf://. Paths in hf:// and of buckets are not unescaped. Fragments of URLs are
// ignored.
//
// In az://, an account of another cloud than the public one is written as host. The schemes of
// Hadoop, such as abfss://container@account.dfs.core.windows.net/path, and URLs of blobs without a
// query are parsed as az://.
//
// In oci://, a path follows a tag or a digest, because the names of repositories have slashes. A
// tag before a digest is ignored.
//
// Errors contain s without passwords and signatures.
func Parse(s string) (Ref, error) {
	if s == "" {
		return Ref{}, errors.New("empty ref: want a path, or a URL with scheme " + schemeNames())
	}
	if startsWithHub(s) {
		s = "https://" + s
	}
	name, rest, ok := cutScheme(s)
	if !ok {
		if len(s) < len("file:") || !strings.EqualFold(s[:len("file:")], "file:") {
			return parseLocal(s), nil
		}
		r, err := parseFilePath(s[len("file:"):])
		return r, wrap(s, err)
	}
	scheme, known := findScheme(name)
	if !known {
		return Ref{}, wrap(s, fmt.Errorf("unknown scheme %q: want %s; if it is a path, write %q in front", name,
			schemeNames(), "./"))
	}
	r, err := scheme.parse(scheme.names[0], rest)
	if err != nil {
		return Ref{}, wrap(s, err)
	}
	return r, nil
}

// wrap adds the text of a ref to an error, or returns nil if there is none.
func wrap(s string, err error) error {
	if err != nil {
		err = fmt.Errorf("ref %q: %w", redact(s), err)
	}
	return err
}

// parseBucket parses the text after s3:// or another scheme of buckets. As in the programs of
// their makers, the version of an object follows "?versionId=", or "#" for Google.
func parseBucket(scheme, s string) (Ref, error) {
	bucket, path, _ := strings.Cut(s, "/")
	switch {
	case bucket == "":
		return Ref{}, fmt.Errorf("no bucket: want %s://bucket[/path]", scheme)
	case strings.ContainsAny(bucket, "@:"):
		// The error does not contain it, because it is likely to be a key.
		return Ref{}, errors.New("credentials are not allowed in the URL: set them in the environment")
	case !plain(bucket):
		return Ref{}, fmt.Errorf("bucket %q has characters other than letters, digits, \"-\", \"_\" and \".\"", bucket)
	}
	r := Ref{Scheme: scheme, Root: bucket}
	if i := strings.LastIndex(path, versionMark(scheme)); i > 0 {
		if version := path[i+len(versionMark(scheme)):]; isVersion(scheme, version) {
			path, r.Revision = path[:i], version
		}
	}
	var err error
	r.Path, err = cleanPath(path)
	if r.Revision != "" && r.Path != path {
		return Ref{}, errors.New("a version needs the name of an object")
	}
	return r, err
}

// versionMark returns what is between the name and the version of an object.
func versionMark(scheme string) string {
	if scheme == "gs" {
		return "#"
	}
	return "?versionId="
}

// isVersion reports whether a version is one that the store may have made: a number for Google,
// and otherwise characters that need no escape in a URL.
func isVersion(scheme, version string) bool {
	if scheme == "gs" {
		return version != "" && strings.Trim(version, "0123456789") == ""
	}
	return plain(version)
}

// bucketString returns a ref to a bucket as text.
func (r Ref) bucketString() string {
	s := r.Scheme + "://" + r.Root
	if r.Path != "" {
		s += "/" + r.Path
	}
	if r.Revision != "" {
		s += versionMark(r.Scheme) + r.Revision
	}
	return s
}

// parseFileURL parses the text after file://. The result prints as a path.
func parseFileURL(_, rest string) (Ref, error) {
	path := strings.TrimPrefix(rest, "localhost") // RFC 8089 allows this host
	if !strings.HasPrefix(path, "/") {
		return Ref{}, errors.New("it names another machine or a relative path: want file:///path")
	}
	return parseFilePath(path)
}

// parseFilePath parses the path of a file URL. In RFC 8089 it is absolute, but file:path for a
// relative one is common.
func parseFilePath(path string) (Ref, error) {
	path, err := url.PathUnescape(path)
	switch {
	case err != nil:
		return Ref{}, err
	case path == "":
		return Ref{}, errors.New("no path: want file:///path")
	case filepath.VolumeName(path[1:]) != "":
		path = path[1:] // file:///C:/folder
	}
	return parseLocal(path), nil
}
