// Refs to ModelScope: ms://org/repo@revision/path.

package store

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// parseModelScope parses the text after ms://, which is org/repo[@revision][/path]. The revision may be escaped,
// because the names of branches have slashes.
func parseModelScope(_, s string) (Ref, error) {
	owner, rest, _ := strings.Cut(s, "/")
	name, path, _ := strings.Cut(rest, "/")
	name, revision, isPinned := strings.Cut(name, "@")
	switch {
	case strings.ContainsAny(owner, "@:"):
		// The error does not contain it, because it may be a password.
		return Ref{}, errors.New("credentials are not allowed in the URL: set MODELSCOPE_API_TOKEN")
	case !plain(owner) || !plain(name):
		return Ref{}, fmt.Errorf("%q is not the name of a model: want ms://org/repo[@revision][/path]", owner+"/"+name)
	case owner == "datasets" || owner == "studios":
		return Ref{}, fmt.Errorf("%s of ModelScope are not supported: want ms://org/repo[@revision][/path]", owner)
	}
	revision, err := url.PathUnescape(revision)
	switch {
	case err != nil:
		return Ref{}, fmt.Errorf("revision: %w", err)
	case isPinned && revision == "":
		return Ref{}, errors.New("the revision after \"@\" is empty")
	}
	path, err = cleanPath(path)
	return Ref{Scheme: "ms", Root: owner + "/" + name, Revision: revision, Path: path}, err
}
