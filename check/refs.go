// References: what the Hub's cache has for the names of revisions.

package check

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// judgeRefs reports references to snapshots that are not there. The cache of one
// repository, "models--org--name", has in refs/main the commit that main was, and in
// snapshots/COMMIT its files. A loader without a network goes by the reference alone.
func (r *repository) judgeRefs(ctx context.Context) {
	for _, file := range r.names {
		cache, ok := cacheOf(file)
		if !ok || !isCache(cache) && !r.hasBelow(path.Join(cache, "snapshots")) {
			continue
		}
		text, err := r.head(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			r.failed(file, err)
			continue
		}
		commit := string(bytes.TrimSpace(text))
		if store.CheckName(commit) == nil && r.hasBelow(path.Join(cache, "snapshots", commit)) {
			continue
		}
		r.found(file).Add(RuleRefMissing, "", safetensors.Span{End: int64(len(text))},
			"%s names the snapshot %s, of which no file is there", quote(strings.TrimPrefix(strings.TrimPrefix(file, cache), "/")), quote(commit))
	}
}

// cacheOf returns the folder in whose "refs" a file is, or below.
func cacheOf(file string) (folder string, ok bool) {
	if strings.HasPrefix(file, "refs/") {
		return "", true
	}
	folder, _, ok = strings.Cut(file, "/refs/")
	return folder, ok
}

// isCache says whether a folder is called as the cache of a repository is.
func isCache(folder string) bool {
	base := path.Base(folder)
	return strings.HasPrefix(base, "models--") || strings.HasPrefix(base, "datasets--") || strings.HasPrefix(base, "spaces--")
}

// hasBelow says whether there is a file in a folder, or below.
func (r *repository) hasBelow(folder string) bool {
	at, _ := slices.BinarySearch(r.names, folder+"/")
	return at < len(r.names) && strings.HasPrefix(r.names[at], folder+"/")
}
