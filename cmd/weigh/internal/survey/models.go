// Models in a survey.

package survey

import (
	"cmp"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

// A namedModel is a model with the name of its set.
type namedModel struct {
	*model.Model
	name       string
	configured bool // the configuration has been read
}

// modelOf returns the model that a set belongs to. Shards that the user names one by one belong to one model.
func (s *Survey) modelOf(at *target.Target, set *checkpoint.Set) *namedModel {
	name := at.Path(cmp.Or(set.PartOf, set.Name))
	if stem, ok := numbered(name); ok && set.Index == "" && len(set.Shards) == 1 {
		name = stem
	}
	for _, m := range s.models {
		if m.name == name {
			return m
		}
	}
	m := &namedModel{Model: &model.Model{Remote: at.Remote()}, name: name}
	s.models = append(s.models, m)
	return m
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
