// The rules that exist only for loaders.

package check

import (
	"context"

	"github.com/weightools/safetensors/check/internal/load"
	"github.com/weightools/safetensors/check/internal/tree"
)

// judgeLoading judges the repository as the programs of Options.For would load it.
func (r *repository) judgeLoading(ctx context.Context, configs *tree.ConfigReader) {
	if len(r.opts.For) == 0 || ctx.Err() != nil {
		return
	}
	of := &load.Repository{Tree: &r.Tree, Loaders: r.opts.For, Ranks: int64(r.opts.Ranks),
		JSON: func(ctx context.Context, folder, name string) load.JSON {
			c := configs.Read(ctx, folder, name)
			return load.JSON{File: c.File, Path: c.Path, Text: c.Text}
		}}
	for _, m := range r.weights {
		of.Sets = append(of.Sets, m.loading(of))
	}
	load.Judge(ctx, of)
}

// loading returns what package load knows of a set.
func (m *weights) loading(r *load.Repository) *load.Model {
	one := &load.Model{Repository: r, Set: m.set, Index: m.index, Config: m.Config, Single: m.single,
		Complete: m.complete, Described: m.described, Adapter: m.isAdapter()}
	if m.main != nil {
		one.ConfigPath = m.main.Path
	}
	for _, s := range m.shards {
		one.Shards = append(one.Shards, load.Shard{Path: s.path, Header: s.header})
	}
	return one
}
