// References: the names of revisions in the Hub's cache.

package tree

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// JudgeRefs reports references to missing snapshots. The cache of a repository, "models--org--name", has
// the commit of the branch main in refs/main, and the files of that commit in snapshots/COMMIT. Without a
// network, a loader relies on the reference.
func (f *Tree) JudgeRefs(ctx context.Context) {
	for _, file := range f.Names {
		cache, ok := cacheOf(file)
		if !ok || !isCache(cache) && !f.HasBelow(path.Join(cache, "snapshots")) {
			continue
		}
		text, err := f.Head(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			f.Failed(file, err)
			continue
		}
		commit := string(bytes.TrimSpace(text))
		if store.CheckName(commit) == nil && f.HasBelow(path.Join(cache, "snapshots", commit)) {
			continue
		}
		ref := strings.TrimPrefix(strings.TrimPrefix(file, cache), "/")
		f.Found(file).Add(rule.RefMissing, "", safetensors.Span{End: int64(len(text))},
			"%s names the snapshot %s, which has no files", wording.Quote(ref), wording.Quote(commit))
	}
}

// cacheOf returns the folder that contains the "refs" of a file.
func cacheOf(file string) (folder string, ok bool) {
	if strings.HasPrefix(file, "refs/") {
		return "", true
	}
	folder, _, ok = strings.Cut(file, "/refs/")
	return folder, ok
}

// isCache reports whether a folder is named like the cache of a repository.
func isCache(folder string) bool {
	base := path.Base(folder)
	return strings.HasPrefix(base, "models--") || strings.HasPrefix(base, "datasets--") ||
		strings.HasPrefix(base, "spaces--")
}
