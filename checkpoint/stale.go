// Indexes whose shards are all missing.

package checkpoint

import (
	"context"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// judgeStale judges a truncated index, or one whose shards are all missing, in the folder of the
// set that is the model.
func (s *Set) judgeStale(model *Set) *safetensors.Report {
	var f Findings
	f.Take(s.report)
	if len(s.Shards) == 0 || s.anyThere() {
		return f.Report()
	}
	first, all := &s.index.Tensors[0], len(s.index.Tensors)
	n := s.heldBy(model)
	text := fmt.Sprintf("the index names %s, the first %s, and all are missing: %s is used as the model, and has %d of "+
		"the %s", count(len(s.Shards), "shard"), quote(first.Shard), quote(model.Name), n, count(all, "tensor"))
	rule, fix := RuleShardMissing, ""
	_, _, isShard := naming.Numbered(model.file())
	switch {
	case model.Stem() != s.Stem() && n > 0:
		rule = RuleIndexStale // loaders differ in which of the two they look for
	case model.Stem() != s.Stem() || len(model.gaps()) > 0: // for all that is known, the shards are needed
	case isShard:
		fix = "Write the index of these shards: `weigh edit --in-place --fix FILE`."
	default:
		fix = "No download is needed. Remove the index: `weigh edit --in-place --fix FILE`."
	}
	f.Add(rule, first.Tensor, first.Span, "%s", text)
	if fix != "" {
		f.Fix(fix)
	}
	return f.Report()
}

// heldBy returns how many tensors of the index a set has, as far as its shards are known.
func (s *Set) heldBy(model *Set) (n int) {
	for _, p := range model.Shards {
		k := s.found.known.Recall(p)
		for i := 0; k != nil && k.Header != nil && i < len(k.Header.Tensors); i++ {
			if s.index.Lookup(k.Header.Tensors[i].Name) != nil {
				n++
			}
		}
	}
	return n
}

// Instead returns the path of a complete model in another format in the folder of the set, "" if there is none or if
// a shard of the set exists: with an index only, loaders fail, although they could read the other model. The index of
// the other model has to list all tensors of the set's.
func (s *Set) Instead(ctx context.Context) string {
	if s.Index == "" || !s.found.listed || s.anyThere() {
		return ""
	}
	for _, name := range s.Unread() {
		if !s.found.opts.isOtherIndex(name) {
			return name // by its name, it is what libraries read
		}
		other, err := s.found.indexSet(ctx, name)
		if err != nil || other.ownFault() != nil {
			continue
		}
		here := func(shard string) bool { return slices.Contains(s.found.foreign, shard) }
		lacks := func(e IndexEntry) bool { return other.index.Lookup(e.Tensor) == nil }
		if !slices.ContainsFunc(other.Shards, func(p string) bool { return !here(p) }) &&
			!slices.ContainsFunc(s.index.Tensors, lacks) {
			return name
		}
	}
	return ""
}
