// Ref, what users write to say where bytes are; its text form, in and out.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unique"
)

// A Ref says where a checkpoint is: a place, and an object or folder in it.
//
//	model.safetensors                     a file
//	models/llama/                         a directory
//	https://host/path/model.safetensors   a file on the web
//	hf://org/repo@revision/path           a repository of the Hugging Face Hub
//	s3://bucket/path                      an object, or those under a prefix
//	gs://bucket/path                      the same on Google Cloud Storage
//
// Refs may be compared with ==. A Ref from [Parse] remembers the user name,
// password and query of a URL, such as a signature: for [Ref.URL] alone, and no
// verb of package fmt shows them.
type Ref struct {
	Scheme   string // "file", "https", "http", "hf", "s3" or "gs"
	Root     string // directory, scheme://host/folder as in a URL, org/repo, or bucket
	Revision string // for hf; "" means main
	Path     string // within Root, between slashes, not escaped; "" for Root itself

	escaped string                // Path as it stood in a URL, if that is not how URL would escape it
	secret  unique.Handle[secret] // zero if there is none; compared by value, but printed as an address
}

// A secret is what a URL has that must not be shown: a URL of only that, with a
// host to stand for all others. Were it a struct, fmt would print it for a verb
// that is wrong for a pointer.
type secret string

// Parse parses s. What has no scheme is a path on this machine, on Windows too.
//
// A scheme is two or more letters or digits before "://". A path that begins
// like that can be written after "./". Parse does not look at the disk: of
// "models/llama", Root is "models" and Path "llama" whether that is a file or a
// directory. With a separator at its end it can only be a directory, and Path
// is "".
//
// In hf://, a slash in a revision is written %2F, except that of refs/pr/1 and
// the like; datasets/, spaces/, kernels/ and buckets/ before org/repo are kept
// in Root. A link to huggingface.co or hf.co is read as hf://. Paths in hf://,
// s3:// and gs:// are taken as they are, not unescaped. Fragments of URLs are
// dropped.
//
// Errors show s without passwords and signatures.
func Parse(s string) (Ref, error) {
	if s == "" {
		return Ref{}, errors.New("empty ref: want a path, or a URL whose scheme is " + schemes)
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
		err = fmt.Errorf("unknown scheme %q: want %s; a path may begin with %q", scheme, schemes, "./")
	}
	if err != nil {
		return Ref{}, fmt.Errorf("ref %q: %w", redact(s), err)
	}
	return r, nil
}

const schemes = "file, gs, hf, http, https or s3"

// String returns the Ref as Parse would read it, without passwords or
// signatures: it may be printed.
func (r Ref) String() string {
	switch r.Scheme {
	case "file":
		return r.localString()
	case "http", "https":
		return r.Root + "/" + r.escapedPath()
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

// cutScheme divides s at "://", if what is before that can be a scheme by RFC
// 3986, section 3.1. One letter is a drive of Windows, and no scheme.
func cutScheme(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, "://")
	if !ok || len(scheme) < 2 {
		return "", s, false
	}
	for i, c := range []byte(scheme) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return "", s, false
		}
	}
	return strings.ToLower(scheme), rest, true
}

// redact returns s, which Parse refused, without what may be secret in it. As s
// is malformed, it leaves out too much rather than too little: an "@", "?" or
// "#" may stand where it should have been escaped.
func redact(s string) string {
	scheme, rest, ok := cutScheme(s)
	if !ok || scheme == "file" {
		return s
	}
	var shown string
	switch scheme {
	case "hf", "s3", "gs": // all of these are plain characters after the first slash
		first, _, _ := strings.Cut(rest, "/")
		i := strings.LastIndexByte(first, '@') + 1
		if strings.Contains(first[i:], ":") {
			i = len(first) // a password, if no "@" follows it
		}
		shown = rest[i:]
	default:
		shown, _, _ = strings.Cut(rest, "?")
		shown, _, _ = strings.Cut(shown, "#")
		if strings.Contains(rest[len(shown):], "@") {
			shown = "" // the "?" or "#" may be in a password
		}
		shown = shown[strings.LastIndexByte(shown, '@')+1:]
	}
	if shown != rest {
		shown = "..." + shown
	}
	return scheme + "://" + shown
}

// parseBucket parses what follows s3:// or gs://.
func parseBucket(scheme, s string) (Ref, error) {
	bucket, path, _ := strings.Cut(s, "/")
	switch {
	case bucket == "":
		return Ref{}, fmt.Errorf("no bucket: want %s://bucket[/path]", scheme)
	case strings.ContainsAny(bucket, "@:"):
		// Not shown: it is likely to be a key.
		return Ref{}, errors.New("more than a bucket before the first slash: credentials do not belong here")
	case !plain(bucket):
		return Ref{}, fmt.Errorf("bucket %q has characters other than letters, digits, \"-\", \"_\" and \".\"", bucket)
	}
	path, err := cleanPath(path)
	return Ref{Scheme: scheme, Root: bucket, Path: path}, err
}

// cleanPath returns path without a slash at its end: whether it names an object
// or a folder is for the store to find out. What is left must be "" or a name.
func cleanPath(path string) (string, error) {
	path = strings.TrimSuffix(path, "/")
	if path == "" || path != "." && fs.ValidPath(path) {
		return path, nil
	}
	return "", fmt.Errorf("path %q has an element that is empty, \".\" or \"..\", or is not UTF-8", path)
}

// plain reports whether s is a name as the Hub and the object stores allow: of
// ASCII letters, digits, "-", "_" and ".", and not "." or "..".
func plain(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return s != "" && s != "." && s != ".."
}
