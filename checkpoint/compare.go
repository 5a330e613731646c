// Comparing sets by their headers.

package checkpoint

import (
	"context"
	"slices"

	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/samebytes"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// A comparer compares sets while a folder is sorted, and keeps what it has read. Its user has the
// turn of the folder.
type comparer struct {
	f     *folder
	known map[*Set]*facts
	bytes *samebytes.Comparer
}

// Facts are what the headers of a set contain.
type facts struct {
	held   contents.Contents
	shapes contents.Shapes // nil until they are needed
	sizes  []int64         // of the shards in bytes; nil if there are none, or some are unknown
	broken bool
}

func newComparer(f *folder) *comparer {
	return &comparer{f, make(map[*Set]*facts), samebytes.New(f.from, f.known.Recall, f.opts.HeadersOnly)}
}

// facts reads the headers of a set once.
func (c *comparer) facts(ctx context.Context, s *Set) (*facts, error) {
	if one := c.known[s]; one != nil {
		return one, nil
	}
	held, err := c.f.contents(ctx, s)
	if err != nil {
		return nil, err
	}
	one := &facts{held: held}
	for _, path := range s.Shards {
		k := c.f.known.Recall(path)
		if k != nil {
			one.sizes = append(one.sizes, k.Size)
		}
		one.broken = one.broken || isBroken(k, s)
	}
	if len(one.sizes) < len(s.Shards) {
		one.sizes = nil
	}
	c.known[s] = one
	return one, nil
}

// isBroken reports whether a shard may have unknown tensors, so that its set is not a copy, and has none. A missing
// shard of an index does not count: the index lists its tensors.
func isBroken(k *shard.Knowledge, of *Set) bool {
	if k == nil {
		return of.index == nil
	}
	return k.Header == nil || k.Blind
}

// compare returns the evidence that s is a copy of m. The evidence of names counts if the tensors
// agree with it. Equal bytes need no evidence of names.
func (c *comparer) compare(ctx context.Context, s, m *Set, name evidence) (evidence, error) {
	a, err := c.facts(ctx, s)
	if err != nil {
		return "", err
	}
	b, err := c.facts(ctx, m)
	if err != nil || a.broken || b.broken {
		return "", err
	}
	if name.agrees(a, b) {
		return name, nil
	}
	if a.sizes == nil || !slices.Equal(a.sizes, b.sizes) {
		return "", nil
	}
	if same, err := c.bytes.Files(ctx, s.Shards, m.Shards); !same || err != nil {
		return "", err
	}
	return asEqual, nil
}

// agrees reports whether the tensors of two sets confirm the evidence of their names.
func (e evidence) agrees(a, b *facts) bool {
	switch e {
	case asVariant:
		return contents.SameTensors(a.held, b.held)
	case asWhole:
		n := len(a.held)
		return n > 0 && n == len(b.held) && contents.InCommon(a.held, b.held) == n
	case asMakers:
		return contents.SameTensors(a.held, b.held) || contents.SameShapes(a.byShape(), b.byShape())
	}
	return false
}

// byShape returns the set's tensors by shape. They are counted once.
func (one *facts) byShape() contents.Shapes {
	if one.shapes == nil {
		one.shapes = contents.ShapesOf(one.held)
	}
	return one.shapes
}
