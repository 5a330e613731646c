// Links: the files of the Hub's cache that lead nowhere.

package tree

import (
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/hubcache"
	"github.com/weightools/safetensors/internal/wording"
)

// JudgeLinks reports links in the Hub's cache that lead nowhere, and files with the text of a link, if the blob is
// there. Nothing else is to be reported about them: see Unlinked.
func (f *Tree) JudgeLinks() {
	if f.Dir == "" {
		return
	}
	names := slices.Concat(f.dead, f.Names)
	if f.Sizes == nil {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	first := ""
	for _, name := range names {
		link, ok := hubcache.Broken(f.Local(name))
		if !ok {
			continue
		}
		if f.unlinked == nil {
			f.unlinked = make(map[string]bool)
		}
		f.unlinked[name] = true
		f.Found(name).Add(checkpoint.RuleCacheLink, "", safetensors.Span{}, "%s should be a link to %s, and says %s: the "+
			"blob is there", wording.Quote(name), wording.Quote(link.To), wording.Quote(link.Says))
		if first == "" {
			first = name
		} else {
			f.Found(name).Fix("No download is needed. The command for " + wording.Quote(first) + " recreates this link, too.")
		}
	}
}

// Unlinked reports whether JudgeLinks has reported a file.
func (f *Tree) Unlinked(name string) bool { return f.unlinked[name] }
