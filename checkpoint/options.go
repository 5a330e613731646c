// Options for reading checkpoints, and what they say of file names.

package checkpoint

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// Options are the options of Open, New and Discover. The zero value and nil are the defaults.
type Options struct {
	// Resolve returns the store of a remote ref. If it is nil, remote refs are errors.
	Resolve func(context.Context, store.Ref) (store.Store, error)

	// Opener opens each shard, with its leniency and limits. Shards are never mapped. The zero
	// Opener is strict.
	Opener safetensors.Opener

	// Formats are the formats other than safetensors that are read. With none, files of
	// other formats are invalid.
	Formats []Format

	// Found, if not nil, is called with the paths of the folders that have weights, before any header is read. So
	// the caller can request other files in them meanwhile. Listed reports that the store has listed them.
	Found func(folders []string, listed bool)

	// Parallel is the number of shards that are opened concurrently. 0 means 8.
	Parallel int

	// HeadersOnly prevents Discover and Validate from reading data. Files with equal bytes are
	// then copies only if the store knows that they are the same (see [store.Same]), and otherwise
	// models; and tensors that are in two shards are not compared.
	HeadersOnly bool

	// MaxIndexSize is the maximum size of an index in bytes. In memory, a published index takes
	// about 3 times as much, and the worst, with names of a few letters, 12 times. 0 means
	// 250,000,000, enough for two million tensors; the worst such index takes 3 GB.
	MaxIndexSize int64

	// MaxShards is the maximum number of shards of an index. An index with more is not read
	// further. 0 means 10,000. The largest published models have a few hundred.
	MaxShards int
}

// orDefault returns a copy of o with the defaults filled in.
func (o *Options) orDefault() *Options {
	var full Options
	if o != nil {
		full = *o
	}
	if full.Parallel <= 0 {
		full.Parallel = 8
	}
	if full.MaxIndexSize <= 0 {
		full.MaxIndexSize = 250_000_000
	}
	if full.MaxShards <= 0 {
		full.MaxShards = 10_000
	}
	return &full
}

// shards returns the options for reading shards.
func (o *Options) shards() *shard.Options {
	list := make([]shard.Format, len(o.Formats))
	for i := range o.Formats {
		f := &o.Formats[i]
		list[i] = shard.Format{Name: f.Name, Match: f.Match, Open: f.content, Judge: f.judge(), Parts: f.Parts}
		if f.Joined != nil {
			list[i].Heads = f.Joined.Heads
		}
	}
	return &shard.Options{Opener: o.Opener, Formats: list, HeadersOnly: o.HeadersOnly}
}

// formatOf returns the format whose files in folders have the extension of base, or nil.
func (o *Options) formatOf(base string) *Format {
	for i := range o.Formats {
		f := &o.Formats[i]
		if f.Joined == nil && slices.Contains(f.Extensions, path.Ext(base)) || f.Joined != nil && f.Joined.Heads(base) != nil {
			return f
		}
	}
	return nil
}

// shardEnds returns the extensions that the index of that path may name. The index of
// safetensors shards may not name others: libraries load only what they know.
func (o *Options) shardEnds(index string) []string {
	ends := []string{naming.WeightsSuffix}
	if IsIndex(index) {
		return ends
	}
	for i := range o.Formats {
		ends = append(ends, o.Formats[i].Extensions...)
	}
	return ends
}
