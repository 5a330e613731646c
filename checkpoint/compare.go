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
	known map[*Set]*contents.Facts
	bytes *samebytes.Comparer
}

func newComparer(f *folder) *comparer {
	return &comparer{f, make(map[*Set]*contents.Facts), samebytes.New(f.from, f.known.Recall, f.opts.HeadersOnly)}
}

// facts reads the headers of a set once.
func (c *comparer) facts(ctx context.Context, s *Set) (*contents.Facts, error) {
	if one := c.known[s]; one != nil {
		return one, nil
	}
	held, err := c.f.contents(ctx, s)
	if err != nil {
		return nil, err
	}
	one := &contents.Facts{Held: held}
	for _, path := range s.Shards {
		k := c.f.known.Recall(path)
		if k != nil {
			one.Sizes = append(one.Sizes, k.Size)
		}
		one.Broken = one.Broken || isBroken(k, s)
	}
	if len(one.Sizes) < len(s.Shards) {
		one.Sizes = nil
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
func (c *comparer) compare(ctx context.Context, s, m *Set, name contents.Evidence) (contents.Evidence, error) {
	a, err := c.facts(ctx, s)
	if err != nil {
		return "", err
	}
	b, err := c.facts(ctx, m)
	if err != nil || a.Broken || b.Broken {
		return "", err
	}
	if name.Agrees(a, b) {
		return name, nil
	}
	if a.Sizes == nil || !slices.Equal(a.Sizes, b.Sizes) {
		return "", nil
	}
	if same, err := c.bytes.Files(ctx, s.Shards, m.Shards); !same || err != nil {
		return "", err
	}
	return contents.Equal, nil
}
