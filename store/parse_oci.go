// Refs to OCI registries: oci://registry/repository:tag/path.

package store

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// The grammar of the OCI Distribution Specification.
var (
	ociRepository = onDemand(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	ociTag        = onDemand(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	ociDigest     = onDemand(`^sha256:[a-f0-9]{64}$`)
)

// onDemand returns a function that compiles a regular expression the first time it is called.
func onDemand(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// parseOCI parses the text after oci://, which is registry/repository[:tag][@digest][/path]. A repository may have
// slashes; therefore a path has to follow a tag or digest. If there are both, the digest counts, as in Docker.
func parseOCI(_, s string) (Ref, error) {
	const want = "want oci://registry/repository[:tag][/path]"
	registry, rest, _ := strings.Cut(s, "/")
	switch u, err := url.Parse("//" + registry); {
	case strings.Contains(registry, "@"), err != nil && strings.Contains(registry, ":"):
		// The error does not contain it, because it is likely to be a password.
		return Ref{}, errors.New("credentials are not allowed in the URL: log in with `docker login`")
	case err != nil, u.Host != registry, u.Hostname() == "":
		return Ref{}, fmt.Errorf("registry %q is not a host: %s", registry, want)
	case !strings.ContainsAny(registry, ".:") && !strings.EqualFold(registry, "localhost"):
		return Ref{}, fmt.Errorf("registry %q is not a host: did you mean oci://docker.io/%s?", registry, s)
	}
	repository, path, revision := strings.TrimSuffix(rest, "/"), "", ""
	if i := strings.IndexAny(rest, ":@"); i >= 0 {
		repository = rest[:i]
		revision, path, _ = strings.Cut(rest[i:], "/")
		tag, digest, hasDigest := strings.Cut(revision, "@")
		tag, hasTag := strings.CutPrefix(tag, ":")
		switch {
		case hasTag && !ociTag().MatchString(tag):
			return Ref{}, fmt.Errorf("tag %q has characters other than letters, digits, \"-\", \"_\" and \".\", or is too long",
				tag)
		case hasDigest && !ociDigest().MatchString(digest):
			return Ref{}, errors.New("the digest is not \"sha256:\" and 64 hexadecimal digits in lower case")
		case hasDigest:
			tag = digest
		}
		revision = tag
	}
	if !ociRepository().MatchString(repository) {
		return Ref{}, fmt.Errorf("%q is not the name of a repository, such as \"models/llama\": %s", repository, want)
	}
	path, err := cleanPath(path)
	return Ref{Scheme: "oci", Root: strings.ToLower(registry) + "/" + repository, Revision: revision, Path: path}, err
}

// ociString returns the text of a Ref to a registry. A path needs a tag before it.
func (r Ref) ociString() string {
	s := "oci://" + r.Root
	switch {
	case ociDigest().MatchString(r.Revision):
		s += "@" + r.Revision
	case r.Revision != "":
		s += ":" + r.Revision
	case r.Path != "":
		s += ":latest"
	}
	if r.Path != "" {
		s += "/" + r.Path
	}
	return s
}

// shownOCI shows a text that has secrets only before the first slash, where a registry may have a port.
func shownOCI(rest string) string {
	registry, _, _ := strings.Cut(rest, "/")
	if u, err := url.Parse("//" + registry); err == nil && u.Host == registry {
		return rest
	}
	return shownBucket(rest)
}
