// The index of shards, and their file modes.

package check

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/filemode"
)

// judgeIndex reports numbered shards without the index that a library expects because of their configuration.
// Vendors publish others, such as consolidated-00001-of-00002.safetensors, to be read without one.
func (s *subject) judgeIndex() {
	if s.set.Index != "" || s.main == nil || s.main.Root == nil || !s.complete || len(s.set.LeftOver()) > 0 {
		return
	}
	name := shards.IndexOf(s.set.Shards)
	if !slices.Contains([]string{"model", "diffusion_pytorch_model", "adapter_model"}, s.set.Stem()) || name == "" {
		return
	}
	s.found(s.set.Name).Add(checkpoint.RuleIndexMissing, "", safetensors.Span{},
		"%s of %s are in no index: transformers, diffusers and PEFT look for %s, and find nothing",
		count(len(s.set.Shards), "shard"), quote(s.set.Name), quote(path.Base(name)))
}

// judgeModes reports shards that fewer users can read than the other files of their folder.
func (s *subject) judgeModes() {
	if s.Dir == "" || s.single {
		return
	}
	n, first := 0, filemode.Narrow{}
	for _, one := range filemode.In(s.Local(folderOf(s.File()))) {
		isShard := func(p string) bool { return s.Local(p) == one.Path }
		if slices.ContainsFunc(s.set.Shards, isShard) {
			if n++; n == 1 {
				first = one
			}
		}
	}
	if n > 0 {
		s.found(s.File()).Add(checkpoint.RuleFileMode, "", safetensors.Span{},
			"%s with mode %#o, the first %s, and everyone can read the other files of the folder: servers that run as "+
				"another user cannot load the model", count(n, "file"), first.Is, quote(filepath.Base(first.Path)))
	}
}
