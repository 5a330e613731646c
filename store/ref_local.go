// Refs to this machine's files: paths, and file:// URLs.

package store

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// parseLocal divides a path into a directory and a name. It does not clean it:
// by a symbolic link, "link/.." is not where it seems to be.
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
		// A share of Windows has a root directory and, unlike a drive, no
		// current one.
		root += string(os.PathSeparator)
	}
	return Ref{Scheme: "file", Root: root, Path: name}
}

// trimSeparators returns dir without separators at its end, but for one that is
// all there is.
func trimSeparators(dir string) string {
	for len(dir) > 1 && os.IsPathSeparator(dir[len(dir)-1]) {
		dir = dir[:len(dir)-1]
	}
	return dir
}

// parseFileURL parses what follows file://. The result is a path like others,
// and is printed as one.
func parseFileURL(s string) (Ref, error) {
	path := strings.TrimPrefix(s, "localhost") // the one host that RFC 8089 lets be this one
	if !strings.HasPrefix(path, "/") {
		return Ref{}, errors.New("names a file of another machine, or a relative path: want file:///path")
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

// localString returns the path of a file. A directory is shown with a separator
// at its end, so that it is parsed as one again.
func (r Ref) localString() string {
	if r.Root == "." && r.Path != "" {
		// "./" is left out unless that would make a drive or a URL of the name.
		if short, err := Parse(r.Path); err == nil && short == r {
			return r.Path
		}
	}
	return joinLocal(r.Root, r.Path)
}

// joinLocal returns the path of name in the directory dir, "" being the current
// one. Unlike filepath.Join it does not clean, for the reason given above.
func joinLocal(dir, name string) string {
	switch {
	case dir == "",
		os.IsPathSeparator(dir[len(dir)-1]),
		dir == filepath.VolumeName(dir) && dir[len(dir)-1] == ':': // the drive's current directory
		return dir + name
	}
	return dir + string(os.PathSeparator) + name
}
