// Refs to the Hugging Face Hub: hf:// and links to its pages.

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
)

// hubKinds are the prefixes of org/repo, both in hf:// and on huggingface.co. Organizations
// cannot have these names.
var hubKinds = [...]string{"models/", "datasets/", "spaces/", "kernels/", "buckets/"}

// cutKind splits s after the kind of repository, which is "" for a model.
func cutKind(s string) (kind, rest string) {
	for _, kind := range hubKinds {
		if rest, ok := strings.CutPrefix(s, kind); ok {
			return strings.TrimPrefix(kind, "models/"), rest
		}
	}
	return "", s
}

// parseHub parses the text after hf://, in the syntax of huggingface_hub's parse_hf_uri:
// [kind/]org/repo[@revision][/path]. The revision may be escaped, because it may contain
// slashes; the path is not escaped.
func parseHub(_, s string) (Ref, error) {
	kind, s := cutKind(strings.Trim(s, "/"))
	owner, s, _ := strings.Cut(strings.TrimLeft(s, "/"), "/")
	repo, path, _ := strings.Cut(s, "/")
	repo, revision, pinned := strings.Cut(repo, "@")
	r := Ref{Scheme: "hf", Root: kind + owner + "/" + repo}
	if err := checkRepo(kind, owner, repo); err != nil {
		return r, err
	}
	if pinned {
		elems := []string{revision}
		if path != "" {
			elems = append(elems, strings.Split(path, "/")...)
		}
		revision, elems = cutRevision(elems)
		path = strings.Join(elems, "/")
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

// cutRevision splits the revision off the elements after a repository. It is the first of them,
// or three if they are the full name of a Git reference, such as refs/pr/1 or refs/convert/parquet.
func cutRevision(elems []string) (revision string, path []string) {
	n := min(1, len(elems))
	if n == 1 && elems[0] == "refs" {
		n = min(3, len(elems))
	}
	return strings.Join(elems[:n], "/"), elems[n:]
}

// parseHubLink parses the path of a link to a repository or to a file or folder in it:
// /[kind/]org/repo[/route/revision[/path]], with escaped elements, where the route is one of
// [isRoute]. Links to a bucket have no revision.
func parseHubLink(link string) (Ref, error) {
	elems, kind, err := linkElems(link)
	if err != nil {
		return Ref{}, err
	}
	for len(elems) < 2 {
		elems = append(elems, "") // checkRepo returns the error
	}
	if repo, revision, pinned := strings.Cut(elems[1], "@"); len(elems) == 2 {
		elems = []string{elems[0], repo, "tree"}
		if pinned && kind == "buckets/" {
			return Ref{}, checkRevision(kind, revision)
		} else if pinned {
			elems = append(elems, revision)
		}
	}
	owner, repo, route, elems := elems[0], elems[1], elems[2], elems[3:]
	r := Ref{Scheme: "hf", Root: kind + owner + "/" + repo}
	switch err := checkRepo(kind, owner, repo); {
	case err != nil:
		return r, err
	case !isRoute(kind, route):
		return r, fmt.Errorf("the link is not to files: want hf://%s[@revision][/path]", r.Root)
	}
	if kind != "buckets/" && len(elems) > 0 {
		r.Revision, elems = cutRevision(elems)
		if err := checkRevision(kind, r.Revision); err != nil {
			return r, err
		}
	}
	r.Path, err = cleanPath(strings.Join(elems, "/"))
	return r, err
}

// linkElems returns the elements of the path of a link, unescaped, and the kind of repository.
func linkElems(link string) (elems []string, kind string, err error) {
	for elem := range strings.SplitSeq(link, "/") {
		if elem == "" {
			continue
		}
		if elem, err = url.PathUnescape(elem); err != nil {
			return nil, "", err
		}
		elems = append(elems, elem)
	}
	if len(elems) > 0 {
		if kind, _ = cutKind(elems[0] + "/"); kind != "" || elems[0] == "models" {
			elems = elems[1:]
		}
	}
	return elems, kind, nil
}

// isRoute reports whether a page of a repository shows or downloads its files. For a large file,
// "raw" downloads its pointer, but users mean the file.
func isRoute(kind, route string) bool {
	switch route {
	case "tree", "resolve":
		return true
	case "blob", "raw", "blame":
		return kind != "buckets/"
	}
	return false
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
	if plural, _ := cutKind(owner + "s/"); kind == "" && (plural != "" || owner == "model") {
		return fmt.Errorf("unknown kind of repository %q: did you mean hf://%ss/org/repo?", owner, owner)
	}
	if name := owner + "/" + repo; kind != "buckets/" && !validRepo(name) {
		return fmt.Errorf("repository %q is not a name that the Hub allows: want up to 96 characters, none of \"-\" "+
			"and \".\" at either end, no \"--\" and \"..\", and no \".git\" at the end", name)
	}
	return nil
}

// validRepo reports whether the Hub allows a name of plain characters for a repository, by the
// function validate_repo_id of huggingface_hub.
func validRepo(name string) bool {
	for elem := range strings.SplitSeq(name, "/") {
		if len(elem) > 96 || strings.Trim(elem, "-.") != elem {
			return false
		}
	}
	return !strings.Contains(name, "--") && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".git")
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
