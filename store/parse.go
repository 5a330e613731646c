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
// A scheme consists of two or more letters or digits before "://". A path that looks like one
// can be written with "./" in front. Parse does not access the file system: "models/llama" has
// Root "models" and Path "llama" whether it is a file or a directory. A path with a separator
// at its end is a directory, and its Path is "".
//
// In hf://, a slash in a revision is written as %2F, except in names like refs/pr/1. The
// prefixes datasets/, spaces/, kernels/ and buckets/ of org/repo become part of Root. Links to
// huggingface.co and hf.co are parsed as hf://. Paths in hf://, s3:// and gs:// are not
// unescaped. Fragments of URLs are ignored.
//
// Errors contain s without passwords and signatures.
func Parse(s string) (Ref, error) {
	if s == "" {
		return Ref{}, errors.New("empty ref: want a path, or a URL with scheme " + schemes)
	}
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return parseLocal(s), nil
	}
	var r Ref
	var err error
	switch scheme {
	case "file":
		r, err = parseFileURL(rest)
	case "http", "https":
		r, err = parseWeb(s)
	case "hf":
		r, err = parseHub(rest)
	case "s3", "gs":
		r, err = parseBucket(scheme, rest)
	default:
		err = fmt.Errorf("unknown scheme %q: want %s; if it is a path, write %q in front", scheme, schemes, "./")
	}
	if err != nil {
		return Ref{}, fmt.Errorf("ref %q: %w", redact(s), err)
	}
	return r, nil
}

const schemes = "file, gs, hf, http, https or s3"

// parseBucket parses the text after s3:// or gs://.
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
	path, err := cleanPath(path)
	return Ref{Scheme: scheme, Root: bucket, Path: path}, err
}

// parseFileURL parses the text after file://. The result prints as a path.
func parseFileURL(s string) (Ref, error) {
	path := strings.TrimPrefix(s, "localhost") // RFC 8089 allows this host
	if !strings.HasPrefix(path, "/") {
		return Ref{}, errors.New("it names another machine or a relative path: want file:///path")
	}
	path, err := url.PathUnescape(path)
	if err != nil {
		return Ref{}, err
	}
	if filepath.VolumeName(path[1:]) != "" {
		path = path[1:] // file:///C:/folder
	}
	return parseLocal(path), nil
}
