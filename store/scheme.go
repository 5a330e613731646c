// Schemes, names and secrets in the text of refs.

package store

import (
	"fmt"
	"io/fs"
	"strings"
)

// cutScheme splits s at "://" if the part before it is a valid scheme by RFC 3986, section
// 3.1. A single letter is a Windows drive instead.
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

// redact returns s without parts that may be secret, for an error of Parse. Because s is
// malformed, it removes too much rather than too little: an "@", "?" or "#" may be part of a
// password that was not escaped.
func redact(s string) string {
	scheme, rest, ok := cutScheme(s)
	if !ok || scheme == "file" {
		return s
	}
	var shown string
	switch scheme {
	case "hf", "s3", "gs": // these have no secrets after the first slash
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

// cleanPath removes a slash at the end of path, because only the store knows whether it names
// an object or a folder. The rest must be "" or a valid name.
func cleanPath(path string) (string, error) {
	path = strings.TrimSuffix(path, "/")
	if path == "" || path != "." && fs.ValidPath(path) {
		return path, nil
	}
	return "", fmt.Errorf("path %q has an element that is empty, \".\" or \"..\", or is not UTF-8", path)
}

// plain reports whether s is a name that the Hub and bucket stores allow: ASCII letters,
// digits, "-", "_" and ".", but not "." or "..".
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
