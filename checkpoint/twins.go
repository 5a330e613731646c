// Duplicate tensors: whether a tensor that is in two shards is the same in both.
//
// Loaders that use the index take one, and those that read all files of a folder take the last one
// that they read. Equal duplicates cost time and memory; others make a model that silently gives
// wrong results.

package checkpoint

import (
	"context"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/store"
)

// A twin is a tensor that is in two shards. The first shard is the one that the index names, if
// there is an index.
type twin struct{ one, other place32 }

// A likeness is how two tensors of the same name compare.
type likeness string

const (
	equal     likeness = "with equal bytes"
	unknown   likeness = "of one dtype and shape, and their bytes were not compared"
	otherKind likeness = "of two kinds"
	otherData likeness = "with different bytes"
)

// twins reports tensors that are in two shards.
func (s *survey) twins(ctx context.Context, all []twin) {
	type key struct {
		one, other int32
		likeness   likeness
	}
	groups := finding.NewTallies[key]()
	details := make(map[key]string)
	for _, t := range all {
		like, detail, err := s.compare(ctx, t)
		if err != nil {
			s.errs = append(s.errs, err)
			if ctx.Err() != nil {
				return
			}
		}
		k := key{t.one.shard, t.other.shard, like}
		name := s.entry(t.one).Name
		if groups.Add(k, name, s.listedAt(name)).N == 1 {
			details[k] = detail
		}
	}
	for k, t := range groups.All() {
		rule := RuleTensorTwice
		if k.likeness == otherKind || k.likeness == otherData {
			rule = RuleTensorConflict
		}
		s.Add(rule, t.First, t.At, "%s in shard %s and in shard %s, %s%s",
			t.Are(), s.path(int(k.one)-1), s.path(int(k.other)-1), k.likeness, details[k])
	}
}

// listedAt returns where the index lists a tensor.
func (s *survey) listedAt(tensor string) safetensors.Span {
	if x := s.c.set.index; x != nil {
		if e := x.Lookup(tensor); e != nil {
			return e.Span
		}
	}
	return safetensors.Span{}
}

// compare compares a tensor with its twin, and describes the first difference. It reads data only
// if dtype and shape are equal and both shards are valid: in a truncated shard, the bytes may be
// missing.
func (s *survey) compare(ctx context.Context, t twin) (likeness, string, error) {
	a, b := s.entry(t.one), s.entry(t.other)
	if a.Dtype != b.Dtype || !slices.Equal(a.Shape, b.Shape) {
		return otherKind, fmt.Sprintf(": %s and %s", finding.KindOf(a), finding.KindOf(b)), nil
	}
	if s.c.opts.HeadersOnly || s.shards[t.one.shard-1].Fault != nil || s.shards[t.other.shard-1].Fault != nil {
		return unknown, "", nil
	}
	x, err := s.tensor(ctx, t.one)
	if err != nil {
		return unknown, "", err
	}
	y, err := s.tensor(ctx, t.other)
	if err != nil {
		return unknown, "", err
	}
	if s.isOne(t) {
		return equal, "", nil
	}
	n, err := compare.First(ctx, x, y, x.Size(), nil)
	switch {
	case err != nil:
		return unknown, "", fmt.Errorf("checkpoint: compare tensor %s in two shards: %w", quote(x.Name), err)
	case n < 0:
		return equal, "", nil
	}
	return otherData, fmt.Sprintf(": those of the first differ at byte %d of %d", n, x.Size()), nil
}

func (s *survey) tensor(ctx context.Context, p place32) (*safetensors.Tensor, error) {
	one := s.c.shards[p.shard-1]
	r, err := one.Data(ctx)
	if err != nil {
		return nil, err
	}
	return r.Tensors(s.shards[p.shard-1].Header).Tensor(s.entry(p)), nil
}

// isOne reports whether two tensors are the same bytes of one file under several names: the Hub's
// cache stores equal files once. Both shards are open.
func (s *survey) isOne(t twin) bool {
	x, y := s.c.shards[t.one.shard-1], s.c.shards[t.other.shard-1]
	atX := s.shards[t.one.shard-1].Header.FileSpan(s.entry(t.one))
	atY := s.shards[t.other.shard-1].Header.FileSpan(s.entry(t.other))
	return atX == atY && store.Same(x.Object(), y.Object())
}
