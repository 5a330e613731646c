// What check knows of a set, for tests.

package check

import (
	"context"

	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/store"
)

// A View is what the rules know of a set.
type View struct {
	Set       *checkpoint.Set
	Described bool // the configuration is about the set

	Layers, Hidden, Vocab, Heads, KVHeads int64

	Method string
	Bits   int64
	Counts *model.Counts
}

// Views returns what the rules know of each set.
func Views(ctx context.Context, from store.Store, path string, sets []*checkpoint.Set) (views []View) {
	r := &repository{folder: folder{tree.Tree{From: from, Path: path}}, sets: sets, counted: make(map[string]int)}
	r.judge(ctx)
	for _, m := range r.weights {
		views = append(views, View{
			Set: m.set, Described: m.described,
			Layers: m.Size(config.Layers), Hidden: m.Size(config.Hidden), Vocab: m.Size(config.Vocab),
			Heads: m.Size(config.Heads), KVHeads: m.Size(config.KVHeads),
			Method: m.Method, Bits: m.Width(), Counts: m.counts(),
		})
	}
	return views
}
