// Models in a survey.

package survey

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
	"github.com/weightools/safetensors/model/identity"
)

// A namedModel is a model with the name of its set.
type namedModel struct {
	*model.Model
	name       string
	configured bool   // the configuration has been read
	partOf     string // the folder of the pipeline that it is a part of, if each set is a model
}

// modelOf returns the model that a set belongs to. Shards that the user names one by one belong to one model.
func (s *Survey) modelOf(at *target.Target, set *checkpoint.Set) *namedModel {
	name, partOf := at.Path(cmp.Or(set.PartOf, set.Name)), ""
	// The modules of sentence-transformers belong to a model, and the parts of a pipeline are models.
	if s.opts.Each && set.PartOf != "" && !slices.ContainsFunc(s.models, func(m *namedModel) bool { return m.name == name }) {
		name, partOf = at.Path(set.Name), name
	}
	if s.opts.Each && set.Piped {
		partOf = at.Path(at.Within)
	}
	if stem, ok := numbered(name); ok && set.Index == "" && len(set.Shards) == 1 {
		name = stem
	}
	for _, m := range s.models {
		if m.name == name {
			return m
		}
	}
	m := &namedModel{Model: &model.Model{Remote: at.Remote()}, name: name, partOf: partOf}
	s.models = append(s.models, m)
	return m
}

// addShard adds a shard to the model of its set. With Each, the files of a folder that neither an index nor numbers put
// together are models of their own, even if they have no tensor in common.
func (s *Survey) addShard(ctx context.Context, at *target.Target, set *checkpoint.Set, m *namedModel, shard string,
	h *safetensors.Header) {
	if !s.opts.Each || set.Index != "" || len(set.Shards) < 2 || strings.Contains(set.Name, "-*-of-") {
		m.AddShard(ctx, set, shard, h)
		return
	}
	one := &namedModel{Model: &model.Model{Remote: at.Remote()}, name: at.Path(shard), partOf: m.partOf}
	s.models = append(s.models, one)
	one.AddShard(ctx, set, shard, h)
	one.configure(ctx, set)
}

// configure reads the configuration, once all shards are added. Without any, it still says what the model is.
func (m *namedModel) configure(ctx context.Context, set *checkpoint.Set) {
	if m != nil && !m.configured && (len(m.Files) > 0 || len(set.Shards) > 0 && set.Index != "") {
		m.configured = true
		m.ReadConfigs(ctx, set)
	}
}

// numbered returns the common part of the names of numbered shards, as in "model-*-of-00004.safetensors".
func numbered(name string) (string, bool) {
	i := strings.LastIndex(name, "-of-")
	if i < 0 {
		return "", false
	}
	stem := strings.TrimRight(name[:i], "0123456789")
	return stem + "*" + name[i:], len(stem) < i
}

// Counted counts the models of the survey as far as they are selected. If other is not "", it also counts them
// like that program.
func (s *Survey) Counted(sel *listing.Selection, other string) ([]listing.Model, error) {
	var list []listing.Model
	for _, m := range s.models {
		if len(m.Files) == 0 {
			continue
		}
		if sel.Filters() {
			m.Only = sel.Has
		}
		one := listing.Model{Name: m.name, Counts: model.Count(m.Model), Facts: model.FactsOf(m.Model)}
		if !one.Facts.Named() { // the tables of names take time and memory
			one.Identity = identity.Of(m.Model, nil)
		}
		if other != "" {
			var err error
			if one.Other, err = compat.Count(other, m.Model); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// CloseModels closes the files that were opened for their shapes.
func (s *Survey) CloseModels() {
	for _, m := range s.models {
		m.Close()
	}
}
