// Refs to the Hugging Face Hub: hf:// and links to its pages.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
)

// hubKinds are the prefixes of org/repo for everything except models, both in hf:// and on
// huggingface.co. Organizations cannot have these names.
var hubKinds = [...]string{"datasets/", "spaces/", "kernels/", "buckets/"}

// cutKind splits s after the kind of repository, which is "" for a model.
func cutKind(s string) (kind, rest string) {
	for _, kind := range hubKinds {
		if rest, ok := strings.CutPrefix(s, kind); ok {
			return kind, rest
		}
	}
	return "", s
}

// parseHub parses the text after hf://, in the syntax of huggingface_hub's HfFileSystem:
// [kind/]org/repo[@revision][/path]. The revision may be escaped, because it may contain
// slashes; the path is not escaped.
//
// HfFileSystem also accepts names without an organization and asks the Hub for the full name.
// Parse makes no requests, so they are errors.
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
		// Full Git names such as refs/pr/1 and refs/convert/parquet have three elements,
		// and users write them unescaped.
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

// isHubLink reports whether u is a page of the Hub, and not its API.
func isHubLink(u *url.URL) bool {
	switch strings.ToLower(u.Host) {
	case "huggingface.co", "www.huggingface.co", "hf.co":
		return !strings.HasPrefix(u.Path, "/api/")
	}
	return false
}

// parseHubLink parses the path of a link to a repository or to a file or folder in it:
// /[kind/]org/repo[/(blob|tree|resolve|raw)/revision[/path]], with escaped elements.
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
		elems = append(elems, "") // checkRepo returns the error
	}
	owner, repo, elems := elems[0], elems[1], elems[2:]
	r := Ref{Scheme: "hf", Root: kind + owner + "/" + repo}
	if err := checkRepo(kind, owner, repo); err != nil {
		return r, err
	}
	if len(elems) == 0 {
		return r, nil
	}
	// "blob" and "tree" are pages; "resolve" and "raw" are downloads. For a large file, "raw"
	// downloads its pointer, but users mean the file.
	switch elems[0] {
	case "blob", "tree", "resolve", "raw":
	default:
		return r, fmt.Errorf("the link is not to files: want hf://%s[@revision][/path]", r.Root)
	}
	r.Revision, elems = cutRevision(elems[1:])
	if err := checkRevision(kind, r.Revision); err != nil {
		return r, err
	}
	var err error
	r.Path, err = cleanPath(strings.Join(elems, "/"))
	return r, err
}

// cutRevision splits the revision off the elements of a link: the first element, or three if
// it is like refs/pr/1, as in parseHub.
func cutRevision(elems []string) (revision string, path []string) {
	n := min(1, len(elems))
	if n == 1 && elems[0] == "refs" {
		n = min(3, len(elems))
	}
	return strings.Join(elems[:n], "/"), elems[n:]
}

// checkRepo returns an error unless owner and repo are names that the Hub allows. They become
// part of URLs and of file names in the cache.
func checkRepo(kind, owner, repo string) error {
	switch {
	case owner == "" || repo == "":
		return fmt.Errorf("no repository: want hf://%sorg/repo[@revision][/path]", kind)
	case strings.ContainsAny(owner, "@:"):
		return errors.New("credentials are not allowed in the URL: set HF_TOKEN instead")
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
	// By git-check-ref-format, names of branches are such paths. A ".." would change the URL.
	case revision == "." || !fs.ValidPath(revision):
		return fmt.Errorf("revision %q is not the name of a branch, tag or commit", revision)
	case revision == "refs", strings.HasPrefix(revision, "refs/") && strings.Count(revision, "/") < 2:
		return fmt.Errorf("revision %q is not complete: want one like refs/pr/1", revision)
	}
	return nil
}
