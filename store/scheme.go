// The table of schemes, and what all of them share: names and secrets in the text of refs.

package store

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A scheme is one kind of ref. The stores of those that are not local are in package remote.
type scheme struct {
	names []string // the first is that of Refs; the others are aliases
	parse func(name, rest string) (Ref, error)

	// print returns the text of a Ref. nil means name://Root[@Revision][/Path].
	print func(Ref) string

	// shown returns the text after "://" without secrets, for the errors of parse.
	shown func(rest string) string
}

// schemes returns the table of schemes. It is a function because parsers print refs.
func schemes() []scheme {
	return []scheme{
		{[]string{"file"}, parseFileURL, Ref.localString, shownAll},
		{[]string{"http"}, parseWeb, Ref.webString, shownURL},
		{[]string{"https"}, parseWeb, Ref.webString, shownURL},
		{[]string{"hf"}, parseHub, nil, shownBucket},
		{[]string{"s3", "s3a", "s3n"}, parseBucket, Ref.bucketString, shownBucket},
		{[]string{"gs", "gcs"}, parseBucket, Ref.bucketString, shownBucket},
		{[]string{"r2"}, parseBucket, Ref.bucketString, shownBucket},
		{[]string{"az"}, parseAzure, nil, shownAzure},
		{[]string{"oci"}, parseOCI, Ref.ociString, shownOCI},
		{[]string{"ms"}, parseModelScope, nil, shownBucket},
		{[]string{"abfss", "abfs", "wasbs", "wasb"}, parseHadoop, nil, shownAzure},
	}
}

// findScheme returns the scheme of a name or an alias.
func findScheme(name string) (scheme, bool) {
	all := schemes()
	if i := slices.IndexFunc(all, func(s scheme) bool { return slices.Contains(s.names, name) }); i >= 0 {
		return all[i], true
	}
	return scheme{shown: shownURL}, false
}

// schemeNames lists the schemes for messages, without aliases.
func schemeNames() string {
	var names []string
	for _, s := range schemes() {
		names = append(names, s.names[0])
	}
	slices.Sort(names)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

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

// Redact returns the printable form of a ref: a path unchanged, and a URL without user names,
// passwords and signatures. If [Parse] rejects the URL, Redact removes too much rather than too
// little: an "@", "?" or "#" may be part of a password that was not escaped.
func Redact(s string) string {
	r, err := Parse(s)
	switch {
	case err != nil:
		return redact(s)
	case r.Scheme == "file":
		return s
	}
	return r.String()
}

// redact returns s without parts that may be secret, for an error of Parse.
func redact(s string) string {
	if startsWithHub(s) {
		return shownURL(s)
	}
	name, rest, ok := cutScheme(s)
	if !ok {
		return s
	}
	scheme, _ := findScheme(name)
	shown := scheme.shown(rest)
	if shown != rest {
		shown = "..." + shown
	}
	return name + "://" + shown
}

// shownAll shows a text that has no secrets.
func shownAll(rest string) string { return rest }

// shownBucket shows a text that has secrets only before the first slash.
func shownBucket(rest string) string {
	first, _, _ := strings.Cut(rest, "/")
	i := strings.LastIndexByte(first, '@') + 1
	if strings.Contains(first[i:], ":") {
		i = len(first) // a password, if no "@" follows it
	}
	return rest[i:]
}

// shownURL shows the host and path of a URL.
func shownURL(rest string) string {
	shown, _, _ := strings.Cut(rest, "?")
	shown, _, _ = strings.Cut(shown, "#")
	if strings.Contains(rest[len(shown):], "@") {
		shown = "" // the "?" or "#" may be in a password
	}
	return shown[strings.LastIndexByte(shown, '@')+1:]
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
