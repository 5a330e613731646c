// The tensors of sets, and whether two sets have the same.

package checkpoint

import (
	"context"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/bytesio"
)

// contents reads the contents of a set. A shard that cannot be read is ignored here, and reported
// by Validate.
func (f *folder) contents(ctx context.Context, s *Set) (contents.Contents, error) {
	headers := make([]*safetensors.Header, len(s.Shards))
	heads := s.heads()
	reads := bytesio.Ahead(ctx, f.opts.Parallel, len(s.Shards), func(ctx context.Context, i int) *shard.Knowledge {
		return f.known.Learn(ctx, f.from, s.Shards[i], heads[i], f.shards)
	})
	for i, k := range reads {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if k != nil {
			headers[i] = k.Header
		}
	}
	if s.index != nil {
		return s.listed(headers), nil
	}
	held := make(contents.Contents)
	for _, h := range headers {
		for i := 0; h != nil && i < len(h.Tensors); i++ {
			held[h.Tensors[i].Name] = &h.Tensors[i]
		}
	}
	return held, nil
}

// learnAll reads the headers of all shards of several sets at once, to know their contents.
func (f *folder) learnAll(ctx context.Context, sets []*Set) {
	type one struct {
		path string
		head int64
	}
	var all []one
	for _, s := range sets {
		heads := s.heads()
		for i, p := range s.Shards {
			all = append(all, one{p, heads[i]})
		}
	}
	reads := bytesio.Ahead(ctx, f.opts.Parallel, len(all), func(ctx context.Context, i int) *shard.Knowledge {
		return f.known.Learn(ctx, f.from, all[i].path, all[i].head, f.shards)
	})
	for range reads {
		if ctx.Err() != nil {
			return
		}
	}
}

// listed returns the contents of a set with an index. Headers of shards that could not be read are
// nil.
func (s *Set) listed(headers []*safetensors.Header) contents.Contents {
	held := make(contents.Contents, len(s.index.Tensors))
	for i := range s.index.Tensors {
		e := &s.index.Tensors[i]
		held[e.Tensor] = nil
		if home := s.home(e.Shard); home >= 0 && headers[home] != nil {
			held[e.Tensor] = headers[home].Lookup(e.Tensor)
		}
	}
	return held
}

// isAdapter reports whether a set is an adapter, by the file name that the library PEFT uses, or
// by the names of most of its tensors.
func isAdapter(s *Set, held contents.Contents) bool {
	return strings.HasPrefix(naming.Stem(s.file()), "adapter_model") || held.OfAdapter()
}
