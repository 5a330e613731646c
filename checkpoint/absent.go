// Errors of missing shards and tensors.

package checkpoint

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// header returns the header of a shard. The error of a missing shard names the tensor that was requested, if any.
func (c *Checkpoint) header(ctx context.Context, s *shard.Shard, tensor string) (*safetensors.Header, error) {
	h, err := s.Header(ctx)
	if shard.IsMissing(err) {
		err = c.missing(s, tensor)
	}
	return h, err
}

// data returns a reader of a shard. The shard may have been removed since its header was read.
func (c *Checkpoint) data(ctx context.Context, s *shard.Shard, tensor string) (*shard.Source, error) {
	r, err := s.Data(ctx)
	if shard.IsMissing(err) {
		err = c.missing(s, tensor)
	}
	return r, err
}

// missing returns the error of a missing shard. With an index it is the violation at the entry of
// the named tensor, or at the first entry of the shard.
//
// The error does not wrap fs.ErrNotExist, which means that the checkpoint does not have a tensor.
func (c *Checkpoint) missing(s *shard.Shard, tensor string) error {
	x := c.set.index
	if x == nil {
		return shard.AtPath("open", s.Path, finding.New(RuleShardMissing, "", safetensors.Span{},
			"shard %s is missing: its name is a link to a file that does not exist", quote(s.Path)))
	}
	var e *IndexEntry
	if tensor != "" {
		e = x.Lookup(tensor)
	}
	if e == nil {
		name, _ := naming.CutFolder(s.Path, naming.Folder(c.set.Index))
		e = &x.Tensors[c.set.first[name]]
	}
	return shard.AtPath("open", c.set.Index, finding.New(RuleShardMissing, e.Tensor, e.Span,
		"shard %s is missing, and the index %s names it for tensor %s", quote(s.Path), quote(c.set.Index),
		quote(e.Tensor)))
}

// lacking returns the violation of a valid index that lists tensors that no shard has. Found tells
// those that one has; it is nil without an index.
func (c *Checkpoint) lacking(found []bool) error {
	if !slices.Contains(found, false) || c.set.Fault() != nil {
		return nil
	}
	lost := finding.NewTallies[string]()
	for i := range found {
		if e := &c.set.index.Tensors[i]; !found[i] {
			lost.Add(e.Shard, e.Tensor, e.Span)
		}
	}
	for path, t := range lost.All() {
		v := finding.New(RuleTensorMissing, t.First, t.At, lostDetail, t.Are(), t.It(), quote(path))
		return shard.AtPath("open", c.set.Index, v)
	}
	return nil
}

// lostDetail describes tensors of the index that no shard has.
const lostDetail = "%s in no shard, and the index puts %s in shard %s"

// Missing returns the error of shards that neither the index nor the folder has, but that the
// numbers of the others imply. It wraps a *[safetensors.Violation] of [RuleShardMissing], and is
// nil if there are none, or if the set was opened by the name of a file: such a file need not be
// complete. Missing reads nothing.
func (s *Set) Missing() error {
	gaps := s.gaps()
	if len(gaps) == 0 {
		return nil
	}
	return shard.AtPath("open", s.Name, finding.New(RuleShardMissing, "", safetensors.Span{}, "%s", gaps[0]))
}

// gaps returns what is missing in the numbers of the shards, in words. An index may have been made
// from an incomplete folder.
func (s *Set) gaps() []string {
	if !s.found.listed || s.Role == Other || s.ownFault() != nil {
		return nil // left over or broken sets imply nothing
	}
	return naming.Missing(s.Shards, s.found.numbers())
}
