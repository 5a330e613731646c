// Refs to the Hugging Face Hub: hf://, and links to its pages.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
)

// hubKinds are what stands before org/repo, for all but models, in hf:// and on
// huggingface.co alike. No organization can have these names.
var hubKinds = [...]string{"datasets/", "spaces/", "kernels/", "buckets/"}

// cutKind divides s after the kind of repository, "" for a model.
func cutKind(s string) (kind, rest string) {
	for _, kind := range hubKinds {
		if rest, ok := strings.CutPrefix(s, kind); ok {
			return kind, rest
		}
	}
	return "", s
}

// parseHub parses what follows hf://, in the form of huggingface_hub's
// HfFileSystem: [kind/]org/repo[@revision][/path]. As there, the revision may be
// quoted, since it may have slashes, and the path is not.
//
// HfFileSystem takes "org/repo" without an organization too, and asks the Hub
// what is meant; Parse asks nobody, so it is an error.
func parseHub(s string) (Ref, error) {
	kind, s := cutKind(s)
	owner, s, _ := strings.Cut(s, "/")
	repo, path, _ := strings.Cut(s, "/")
	repo, revision, pinned := strings.Cut(repo, "@")
	r := Ref{Scheme: "hf", Root: kind + owner + "/" + repo}
	if err := checkRepo(kind, owner, repo); err != nil {
		return r, err
	}
	if pinned {
		// Full names of git's, such as refs/pr/1 and refs/convert/parquet, have
		// three elements; they are commonly written without escapes.
		if revision == "refs" {
			elems := strings.SplitN(path, "/", 3)
			revision = "refs/" + strings.Join(elems[:min(2, len(elems))], "/")
			path = strings.Join(elems[min(2, len(elems)):], "/")
		}
		var err error
		if revision, err = url.PathUnescape(revision); err != nil {
			return r, fmt.Errorf("revision: %w", err)
		}
		if err := checkRevision(kind, revision); err != nil {
			return r, err
		}
		r.Revision = revision
	}
	var err error
	r.Path, err = cleanPath(path)
	return r, err
}

// isHubLink reports whether u is a page of the Hub, rather than of its API.
func isHubLink(u *url.URL) bool {
	switch strings.ToLower(u.Host) {
	case "huggingface.co", "www.huggingface.co", "hf.co":
		return !strings.HasPrefix(u.Path, "/api/")
	}
	return false
}

// parseHubLink parses the path of a link to a repository, or to a file or folder
// of it: /[kind/]org/repo[/(blob|tree|resolve|raw)/revision[/path]], each
// element escaped.
func parseHubLink(link string) (Ref, error) {
	kind, rest := cutKind(strings.Trim(link, "/"))
	elems := strings.Split(rest, "/")
	for i, elem := range elems {
		var err error
		if elems[i], err = url.PathUnescape(elem); err != nil {
			return Ref{}, err
		}
	}
	if len(elems) < 2 {
		elems = append(elems, "") // for checkRepo to object to
	}
	owner, repo, elems := elems[0], elems[1], elems[2:]
	r := Ref{Scheme: "hf", Root: kind + owner + "/" + repo}
	if err := checkRepo(kind, owner, repo); err != nil {
		return r, err
	}
	if len(elems) == 0 {
		return r, nil
	}
	// Pages of files and folders, and two kinds of downloads: "raw" gives the
	// pointer of a large file in place of its content, but means the same file.
	switch elems[0] {
	case "blob", "tree", "resolve", "raw":
	default:
		return r, fmt.Errorf("a page of the repository that is not about files: want hf://%s[@revision][/path]", r.Root)
	}
	r.Revision, elems = cutRevision(elems[1:])
	if err := checkRevision(kind, r.Revision); err != nil {
		return r, err
	}
	var err error
	r.Path, err = cleanPath(strings.Join(elems, "/"))
	return r, err
}

// cutRevision takes the revision off the elements of a link: the first, or the
// first three of refs/pr/1 and the like, as in parseHub.
func cutRevision(elems []string) (revision string, path []string) {
	n := min(1, len(elems))
	if n == 1 && elems[0] == "refs" {
		n = min(3, len(elems))
	}
	return strings.Join(elems[:n], "/"), elems[n:]
}

// checkRepo returns an error unless owner and repo are names as the Hub has
// them. They become part of URLs and of file names in its cache.
func checkRepo(kind, owner, repo string) error {
	switch {
	case owner == "" || repo == "":
		return fmt.Errorf("no repository: want hf://%sorg/repo[@revision][/path]", kind)
	case strings.ContainsAny(owner, "@:"):
		return errors.New("more than an organization before the first slash: credentials do not belong here")
	case !plain(owner) || !plain(repo):
		return fmt.Errorf("repository %q has characters other than letters, digits, \"-\", \"_\" and \".\"", owner+"/"+repo)
	}
	return nil
}

// checkRevision returns an error unless revision can be a branch, tag or commit.
func checkRevision(kind, revision string) error {
	switch {
	case kind == "buckets/":
		return errors.New("a bucket has no revisions: want hf://buckets/org/name[/path]")
	case revision == "":
		return errors.New("empty revision")
	// By git-check-ref-format the names of branches are such paths. A ".." in one
	// would be part of a URL, and change what is asked for.
	case revision == "." || !fs.ValidPath(revision):
		return fmt.Errorf("revision %q is not the name of a branch, tag or commit", revision)
	case revision == "refs", strings.HasPrefix(revision, "refs/") && strings.Count(revision, "/") < 2:
		return fmt.Errorf("revision %q is not complete: want one like refs/pr/1", revision)
	}
	return nil
}
