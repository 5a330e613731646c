// Sorting one place: which of its sets are models, and what the others are to them.

package checkpoint

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

// sortPlace returns the sets of one place, a model first.
func (c *comparer) sortPlace(ctx context.Context, p *place) ([]*Set, error) {
	all, err := c.f.candidates(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case len(all.live)+len(all.loose)+len(all.stale) == 0:
		return nil, nil // an index elsewhere names all that is here
	case len(all.live) == 0 && len(all.loose) > 1:
		sets, err := c.sortLoose(ctx, all.loose)
		if err == nil {
			sets[0].stale = all.stale
		}
		return sets, err
	case len(all.live) == 0 && len(all.loose) == 1:
		return []*Set{all.first()}, nil
	}
	all.first() // which says what is left over beside it
	sets, err := c.sortDeclared(ctx, all.declared())
	if err != nil {
		return nil, err
	}
	return slices.Concat(sets, all.loose), c.relate(ctx, all.loose, counted(sets))
}

// counted returns the sets that are counted.
func counted(sets []*Set) []*Set {
	return slices.DeleteFunc(slices.Clone(sets), func(s *Set) bool { return !s.Counted() })
}

// sortDeclared sorts sets of one place that have an index, in the order of rank.
// An index declares a model. So what is neither a copy nor an adapter is a model
// too; but what is called a copy, and has other tensors, is nothing known.
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

// relate finds out what the sets beside models are: those that were found to be
// copies or adapters in their own place stay that. What sets hold is only read if
// there is something to compare it with.
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
		case isAdapter(s, known.held):
			s.Role = Adapter
		default:
			s.Role = Other
		}
	}
	return nil
}

// maxNamesakes is with how many models a set is compared for their names. Folders
// as published have one or two, and all pairs of a thousand take minutes.
const maxNamesakes = 16

// copied finds out whether a set is a copy of one of the models, and says so in
// the set.
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

// sortLoose sorts sets of one place that no index names. What is neither a copy
// nor an adapter is one set if no tensor is in two files, and otherwise each is
// a model: people keep collections of models in a folder, and the steps of a
// training. To read them as one would find conflicts in every second tensor.
//
// Sets come in the order of rank, so that of two copies the likelier model is
// kept.
func (c *comparer) sortLoose(ctx context.Context, sets []*Set) ([]*Set, error) {
	var models, beside []*Set
	var held []contents
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
		if isAdapter(s, known.held) {
			s.Role = Adapter
		}
		models, held = append(models, s), append(held, known.held)
	}
	models, beside, held = setAside(models, beside, held)
	// Files of other formats are complete checkpoints, such as those of a training run.
	if len(models) > 1 && disjoint(held) && !c.f.adopted {
		models = []*Set{c.f.join(models, beside)}
	}
	return append(models, beside...), nil
}

// setAside moves the adapters among models to beside. If all are adapters, they
// are what the folder is about, and so models.
func setAside(models, beside []*Set, held []contents) ([]*Set, []*Set, []contents) {
	var others []*Set
	var ofOthers []contents
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

// join makes one set of several, of which there may be copies. It makes a new
// one, and leaves those as they are for when it has to be done again.
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
