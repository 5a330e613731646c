// Sorting the sets of one place.

package checkpoint

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors/checkpoint/internal/contents"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// sortPlace returns the sets of one place, models first.
func (c *comparer) sortPlace(ctx context.Context, p *place) ([]*Set, error) {
	all, err := c.f.candidates(ctx, p)
	if err != nil {
		return nil, err
	}
	sets, err := c.sortCandidates(ctx, all)
	return slices.Concat(sets, all.training), err
}

func (c *comparer) sortCandidates(ctx context.Context, all *candidates) ([]*Set, error) {
	switch {
	case len(all.live)+len(all.loose)+len(all.stale) == 0:
		return nil, nil // an index in another place names all files of this one
	case len(all.live) == 0 && len(all.loose) > 1:
		sets, err := c.sortLoose(ctx, all.loose)
		if err == nil {
			sets[0].stale = all.stale
		}
		return sets, err
	case len(all.live) == 0 && len(all.loose) == 1:
		return []*Set{all.first()}, nil
	}
	all.first() // which records the left over indexes
	sets, err := c.sortDeclared(ctx, all.declared())
	if err != nil {
		return nil, err
	}
	return slices.Concat(sets, all.loose), c.relate(ctx, all.loose, counted(sets))
}

// counted returns the sets that are models.
func counted(sets []*Set) []*Set {
	return slices.DeleteFunc(slices.Clone(sets), func(s *Set) bool { return !s.Counted() })
}

// sortDeclared sorts sets of one place that have an index, in the order of rank. Each is a model
// unless it is a copy or an adapter. A set with the name of a copy and other tensors has the role
// Other.
func (c *comparer) sortDeclared(ctx context.Context, sets []*Set) ([]*Set, error) {
	models := sets[:1:1]
	var beside []*Set
	for _, s := range sets[1:] {
		if err := c.relate(ctx, []*Set{s}, models); err != nil {
			return nil, err
		}
		if s.Role == Other && !slices.ContainsFunc(models, func(m *Set) bool { return byName(s, m) != "" }) {
			s.Role = Model
		}
		if s.Role == Model {
			models = append(models, s)
		} else {
			beside = append(beside, s)
		}
	}
	return append(models, beside...), nil
}

// relate finds out the roles of sets next to models, except those that are copies or adapters
// already. Their headers are read only if there is a model to compare them with.
func (c *comparer) relate(ctx context.Context, beside, models []*Set) error {
	for _, s := range beside {
		if s.Role != Model {
			continue
		}
		known, err := c.facts(ctx, s)
		if err != nil {
			return err
		}
		copied, err := c.copied(ctx, s, models)
		switch {
		case err != nil:
			return err
		case copied:
		case isAdapter(s, known.Held):
			s.Role = Adapter
		default:
			s.Role = Other
		}
	}
	return nil
}

// maxNamesakes is the maximum number of models that a set is compared with by name. Published
// folders have one or two, and comparing all pairs of a thousand takes minutes.
const maxNamesakes = 16

// copied finds out whether a set is a copy of one of the models, and sets its role.
func (c *comparer) copied(ctx context.Context, s *Set, models []*Set) (bool, error) {
	namesakes := 0
	for _, m := range models {
		name := byName(s, m)
		if name != "" {
			if namesakes++; namesakes > maxNamesakes {
				name = "" // only the same bytes count from here on
			}
		}
		proof, err := c.compare(ctx, s, m, name)
		if err != nil {
			return false, err
		}
		if proof != "" {
			s.Role, s.CopyOf, s.proof = Copy, m.Name, proof
			return true, nil
		}
	}
	return false, nil
}

// sortLoose sorts sets of one place without an index. Those that are neither copies nor adapters
// are one set if no tensor is in two files, and otherwise each is a model: people keep collections
// of models, and the steps of a training run, in one folder.
//
// Sets are in the order of rank: the likelier model of two copies is kept.
func (c *comparer) sortLoose(ctx context.Context, sets []*Set) ([]*Set, error) {
	var models, beside []*Set
	var held []contents.Contents
	for _, s := range sets {
		known, err := c.facts(ctx, s)
		if err != nil {
			return nil, err
		}
		copied, err := c.copied(ctx, s, models)
		if err != nil {
			return nil, err
		}
		if copied {
			beside = append(beside, s)
			continue
		}
		if isAdapter(s, known.Held) {
			s.Role = Adapter
		}
		models, held = append(models, s), append(held, known.Held)
	}
	models, beside, held = setAside(models, beside, held)
	// Files of other formats are complete checkpoints, such as the steps of a training run.
	if len(models) > 1 && contents.Disjoint(held) && !c.f.adopted {
		models = []*Set{c.f.join(models, beside)}
	}
	return append(models, beside...), nil
}

// setAside separates adapters from models. If all are adapters, they are models.
func setAside(models, beside []*Set, held []contents.Contents) ([]*Set, []*Set, []contents.Contents) {
	var others []*Set
	var ofOthers []contents.Contents
	var adapters []*Set
	for i, s := range models {
		if s.Role == Adapter {
			adapters = append(adapters, s)
		} else {
			others, ofOthers = append(others, s), append(ofOthers, held[i])
		}
	}
	if len(others) > 0 {
		return others, append(beside, adapters...), ofOthers
	}
	for _, s := range adapters {
		s.Role = Model
	}
	return models, beside, held
}

// join makes a new set of several sets, and updates their copies.
func (f *folder) join(sets, copies []*Set) *Set {
	one := &Set{Name: path.Join(naming.Folder(sets[0].Name), "*"+naming.WeightsSuffix), Role: Model, found: f}
	for _, s := range sets {
		one.Shards = append(one.Shards, s.Shards...)
	}
	slices.SortFunc(one.Shards, naming.CompareShards)
	for _, s := range copies {
		if slices.ContainsFunc(sets, func(of *Set) bool { return of.Name == s.CopyOf }) {
			s.CopyOf = one.Name
		}
	}
	return one
}
