// Shards that are not there, when what they hold is asked for.

package checkpoint

import (
	"context"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// header returns the header of a shard, in which the named tensor is looked for,
// or none in particular.
func (c *Checkpoint) header(ctx context.Context, s *shard.Shard, tensor string) (*safetensors.Header, error) {
	h, err := s.Header(ctx)
	if shard.IsMissing(err) {
		err = c.missing(s, tensor)
	}
	return h, err
}

// data returns what reads a shard. Its header may be known from sorting the folder, and
// the shard may have been removed since.
func (c *Checkpoint) data(ctx context.Context, s *shard.Shard, tensor string) (*shard.Source, error) {
	r, err := s.Data(ctx)
	if shard.IsMissing(err) {
		err = c.missing(s, tensor)
	}
	return r, err
}

// missing returns the error that a shard is not there. It is in the index, if
// there is one: where that lists the named tensor, or the first of the shard.
//
// The error does not wrap fs.ErrNotExist, which is that of a tensor that the
// checkpoint does not have.
func (c *Checkpoint) missing(s *shard.Shard, tensor string) error {
	x := c.set.index
	if x == nil {
		return atPath("open", s.Path, finding.New(RuleShardMissing, "", safetensors.Span{}, "shard %s is missing: its name leads to no file", quote(s.Path)))
	}
	var e *IndexEntry
	if tensor != "" {
		e = x.Lookup(tensor)
	}
	for i := 0; e == nil && i < len(x.Tensors); i++ {
		if home := c.set.home(x.Tensors[i].Shard); home >= 0 && c.shards[home] == s {
			e = &x.Tensors[i]
		}
	}
	v := finding.New(RuleShardMissing, "", safetensors.Span{}, "shard %s is missing, and the index %s names it", quote(s.Path), quote(c.set.Index))
	if e != nil {
		v.Tensor, v.Span = e.Tensor, e.Span
		v.Detail += " for tensor " + quote(e.Tensor)
	}
	return atPath("open", c.set.Index, v)
}
