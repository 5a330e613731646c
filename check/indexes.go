// Shards without an index.

package check

import (
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// judgeIndex reports numbered shards without an index, beside a configuration by which a library looks for it.
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
