// Options: what a caller may choose about reading a checkpoint.

package checkpoint

import (
	"context"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// Options are the choices of Open, New and Discover. The zero Options, and nil,
// are the defaults.
type Options struct {
	// Resolve gives the store of a ref that is not a local path; nil means that
	// there is none, and such a ref is an error.
	Resolve func(context.Context, store.Ref) (store.Store, error)

	// Opener opens each shard, with its leniency and its limits. Shards are
	// never mapped. The zero Opener is strict.
	Opener safetensors.Opener

	// Formats are the formats other than safetensors that are read. With none, files of
	// other formats are invalid.
	Formats []Format

	// Parallel is how many shards are opened, and their headers read, at once.
	// 0 means 8.
	Parallel int

	// HeadersOnly means that no data is read to sort a folder, or by Validate. Then
	// values are not compared: files with equal bytes are not known to be copies,
	// unless the store knows that they are one (see [store.Same]), and so are models,
	// each; and it is not said whether a tensor that is in two shards has the same
	// bytes in both.
	HeadersOnly bool

	// MaxIndexSize is the largest index accepted, in bytes. In memory, one as
	// published takes some 3 times as much, and at worst, with names of a few
	// letters, 12 times. 0 means 250,000,000, which is room for two million tensors,
	// and for that takes 3 GB at worst.
	MaxIndexSize int64

	// MaxShards is the largest number of shards that an index may name. Of one that
	// names more, no more is read.
	// 0 means 10,000. The largest published models have a few hundred.
	MaxShards int
}

// orDefault returns a copy of o in which defaults are spelled out.
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

// shards returns how shards are read.
func (o *Options) shards() *shard.Options {
	list := make([]shard.Format, len(o.Formats))
	for i := range o.Formats {
		f := &o.Formats[i]
		list[i] = shard.Format{Name: f.Name, Match: f.Match, Open: f.content}
	}
	return &shard.Options{Opener: o.Opener, Formats: list}
}
