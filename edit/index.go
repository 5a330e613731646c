// Repairs of indexes: one is written for shards that have none, and one without shards is removed.

package edit

import (
	"context"
	"io/fs"
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

// aroundIndex looks for an index whose shards do not exist: within, or in the folder within. If there is nothing to
// do but to remove it, because the weights are one file or of another format, it returns a source with only that. If
// it is to be written again from other shards, it returns their folder, and otherwise within.
func aroundIndex(
	ctx context.Context, from store.Store, within string, opts *checkpoint.Options,
) (*source, string, error) {
	folder := within
	if checkpoint.IsIndex(within) {
		folder = path.Dir(within)
		if folder == "." {
			folder = ""
		}
	}
	sets, err := checkpoint.Discover(ctx, from, folder, opts)
	if err != nil || len(sets) == 0 {
		return nil, within, nil // opening it says why
	}
	for _, s := range sets {
		if s.Index != "" && (s.Index == within || within == folder) && s.Instead(ctx) != "" {
			return onlyRemoving(ctx, s, s), within, ctx.Err()
		}
		for _, left := range s.LeftOver() {
			switch left.Index {
			case shards.IndexOf(s.Shards):
				return nil, folder, ctx.Err()
			case within:
				return onlyRemoving(ctx, left, s), within, ctx.Err()
			}
		}
	}
	return nil, within, nil
}

// onlyRemoving returns a source of which only the index is removed, or nil if the index may be that of a model that is
// yet to be downloaded. Model is the set that is read without the index, or the set of the index.
func onlyRemoving(ctx context.Context, left, model *checkpoint.Set) *source {
	cp := model.Open()
	defer cp.Close()
	for r, err := range cp.Validate(ctx) {
		if err != nil || r.File != left.Index && model != left {
			continue
		}
		for _, v := range r.Violations {
			if isRemovable(v.Rule, left, model) {
				return &source{out: new(Output), cp: left.Open(), stale: []Fault{{path.Base(left.Index), v}}}
			}
		}
	}
	return nil
}

// isRemovable reports whether an index that breaks a rule can be removed, because all that it is about is in the model.
func isRemovable(rule safetensors.Rule, left, model *checkpoint.Set) bool {
	return rule == checkpoint.RuleIndexStale || rule == checkpoint.RuleShardMissing && left.Stem() == model.Stem()
}

// leave decides about an index in the folder of the source whose shards do not exist: it is written again if it has
// the name of the source's, and removed if all that it is about is in the source. Otherwise it is an error.
func (s *source) leave(e *Edit, r checkpoint.Report) error {
	name := s.shown(path.Base(r.File))
	for _, left := range s.cp.Set().LeftOver() {
		if left.Index != r.File {
			continue
		}
		for _, v := range r.Violations {
			switch fault := (Fault{name, v}); {
			case e.Fix && left.Index == shards.IndexOf(s.cp.Shards()) && v.Rule == checkpoint.RuleShardMissing:
				s.faults = append(s.faults, fault)
			case e.Fix && isRemovable(v.Rule, left, s.cp.Set()):
				s.stale = append(s.stale, fault)
			case v.Severity >= safetensors.Nonconforming:
				return &fs.PathError{Op: "edit", Path: name, Err: v}
			case e.Fix:
				s.left = append(s.left, fault)
			}
		}
	}
	return nil
}

// indexed plans an index for a source that has none, if libraries look for one, and another one for an index without
// metadata, with which transformers fails.
func (s *source) indexed(e *Edit) {
	name := shards.IndexOf(s.cp.Shards())
	if x := s.index; e.Fix && x != nil && x.TotalSize < 0 && x.TotalParameters < 0 && len(x.Metadata) == 0 {
		s.faults = append(s.faults, fault(checkpoint.RuleTotalSize, s.shown(s.indexNow), "the index has no metadata"))
	}
	if !e.Fix || s.index != nil || s.named || name == "" {
		return
	}
	s.index, s.indexNow = new(checkpoint.Index), path.Base(name)
	s.index.TotalParameters = -1
	if len(s.faults) == 0 {
		s.faults = append(s.faults, fault(checkpoint.RuleIndexMissing, s.shown(s.indexNow), "%s does not exist",
			quote(s.indexNow)))
	}
}
