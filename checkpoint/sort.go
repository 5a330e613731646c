// Sorting a folder's weights into sets, and the sets by what they are.

package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Candidates are what the names and indexes of one place make into sets, before
// any header is read. Each list is in the order of rank.
type candidates struct {
	live  []*Set // by an index of whose shards there are some
	stale []*Set // by an index of whose shards there is none, or that is cut off
	loose []*Set // by name: a numbering, or one file
}

// candidates reads the indexes of a place, and groups what they do not name. The
// caller has the turn.
func (f *folder) candidates(ctx context.Context, p *place) (*candidates, error) {
	if p.candidates != nil {
		return p.candidates, nil
	}
	c := new(candidates)
	for _, name := range p.indexes {
		s, err := f.indexSet(ctx, name)
		if err != nil {
			return nil, err
		}
		// Programs that merge shards leave the index behind, and then the library
		// transformers reads the one file. An index of which the end is missing
		// would make all files strangers that it did not come to name.
		if s.index.cutOff || !s.anyThere() {
			c.stale = append(c.stale, s)
			continue
		}
		c.live = append(c.live, s)
		for _, shard := range s.Shards {
			f.claimed[shard] = true
		}
	}
	byRank := func(a, b *Set) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(c.live, byRank)
	slices.SortFunc(c.stale, byRank)
	c.loose = f.loose(p)
	slices.SortFunc(c.loose, byRank)
	p.candidates = c
	return c, nil
}

// anyThere says whether any of the shards is there.
func (s *Set) anyThere() bool { return slices.ContainsFunc(s.Shards, s.found.has) }

// has says whether a path is among the weights that were listed.
func (f *folder) has(path string) bool {
	if !f.listed {
		return true // as far as is known
	}
	p, ok := f.places[folderOf(path)]
	if !ok {
		return false
	}
	_, found := slices.BinarySearch(p.weights, path) // listings are in order
	return found
}

// loose groups the weights of a place that no index names: those of one
// numbering, and each other file for itself.
func (f *folder) loose(p *place) []*Set {
	var sets []*Set
	byNumbering := make(map[numbering]*Set)
	for _, path := range p.weights {
		if f.claimed[path] {
			continue
		}
		n, _, ok := numbered(path)
		if s := byNumbering[n]; ok && s != nil {
			s.Shards = append(s.Shards, path)
			continue
		}
		s := &Set{Role: Model, Shards: []string{path}, found: f}
		sets = append(sets, s)
		if ok {
			byNumbering[n] = s
		}
	}
	for _, s := range sets {
		slices.SortFunc(s.Shards, compareShards)
		s.Name = s.Shards[0]
		if n, _, ok := numbered(s.Name); ok {
			s.Name = n.prefix + "*" + n.suffix
		}
	}
	return sets
}

// model returns the one set of the folder that is counted.
func (f *folder) model(ctx context.Context) (*Set, error) {
	if s, err := f.evident(ctx); s != nil || err != nil {
		return s, err
	}
	sets, err := f.sets(ctx)
	if err != nil {
		return nil, err
	}
	if len(sets) > 1 && sets[1].Counted() {
		return nil, f.severalModels(sets)
	}
	return sets[0], nil
}

// evident returns the model if names and indexes suffice to tell which it is, and
// otherwise nil. It reads no header.
func (f *folder) evident(ctx context.Context) (*Set, error) {
	if err := f.turn.wait(ctx); err != nil {
		return nil, err
	}
	defer f.turn.end()
	own, ok := f.places[f.path]
	if !ok || f.parts != nil {
		return nil, nil
	}
	c, err := f.candidates(ctx, own)
	if err != nil || len(c.live) == 0 && len(c.loose) > 1 {
		return nil, err
	}
	return c.first(), nil
}

// severalModels returns the error that one of several is to be named.
func (f *folder) severalModels(sets []*Set) error {
	const most = 3 // names; the rest is counted
	var names []string
	n := 0
	for _, s := range sets {
		if !s.Counted() {
			continue
		}
		if n++; n <= most {
			names = append(names, quote(s.Name))
		}
	}
	if n > most {
		names = append(names, fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("checkpoint: the folder holds %d models, and not one: name the one that is meant: %s", n, strings.Join(names, ", "))
}

// first returns the set that is the model if no headers need be read to tell.
func (c *candidates) first() *Set {
	sets := slices.Concat(c.live, c.loose, c.stale)
	if len(c.live)+len(c.loose) > 0 && sets[0].stale == nil && c.stale != nil {
		sets[0].stale = c.stale // once: others may be reading it by now
	}
	return sets[0]
}

// sets returns all sets of the folder, those that are counted first. It may be
// called again after an error: what it has found out by then still holds.
func (f *folder) sets(ctx context.Context) ([]*Set, error) {
	if err := f.turn.wait(ctx); err != nil {
		return nil, err
	}
	defer f.turn.end()
	if f.sorted != nil {
		return f.sorted, nil
	}
	var inside, beside []*Set
	for _, p := range f.inOrder() {
		sets, err := f.sortPlace(ctx, p)
		if err != nil {
			return nil, err
		}
		if f.isInside(p) {
			inside = append(inside, sets...)
		} else {
			beside = append(beside, sets...)
		}
	}
	if len(inside) == 0 {
		inside, beside = beside, nil // an index here names what is in the parts
	}
	models := slices.DeleteFunc(slices.Clone(inside), func(s *Set) bool { return !s.Counted() })
	if err := f.relate(ctx, beside, models); err != nil {
		return nil, err
	}
	all := append(inside, beside...)
	slices.SortStableFunc(all, func(a, b *Set) int { return boolOrder(!a.Counted(), !b.Counted()) })
	f.sorted = all
	return all, nil
}

// isInside says whether the model, or a part of it, is to be looked for in a
// place.
func (f *folder) isInside(p *place) bool {
	switch {
	case f.parts != nil:
		return f.isPart(p.path)
	case f.places[f.path] != nil:
		return p.path == f.path
	}
	return true
}

// sortPlace returns the sets of one place, the model first.
func (f *folder) sortPlace(ctx context.Context, p *place) ([]*Set, error) {
	c, err := f.candidates(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case len(c.live) > 0:
		beside := slices.Concat(c.live[1:], c.loose)
		first := c.first()
		return append([]*Set{first}, beside...), f.relate(ctx, beside, []*Set{first})
	case len(c.loose) > 1:
		sets, err := f.sortLoose(ctx, c.loose)
		if err == nil {
			sets[0].stale = c.stale
		}
		return sets, err
	case len(c.loose)+len(c.stale) == 0:
		return nil, nil // an index elsewhere names all that is here
	}
	first := c.first()
	if len(c.loose) == 1 {
		return []*Set{first}, nil
	}
	return c.stale, f.relate(ctx, c.stale[1:], []*Set{first})
}

// relate finds out what the sets beside models are: those that were found to be
// copies or adapters in their own place stay that. What the models hold is only
// read if there is something to compare it with.
func (f *folder) relate(ctx context.Context, beside, models []*Set) error {
	var held []contents
	for _, s := range beside {
		if s.Role != Model {
			continue
		}
		if held == nil {
			for _, m := range models {
				h, err := f.contents(ctx, m)
				if err != nil {
					return err
				}
				held = append(held, h)
			}
		}
		h, err := f.contents(ctx, s)
		if err != nil {
			return err
		}
		s.Role = Other
		if i := copied(s, h, held); i >= 0 {
			s.Role, s.CopyOf = Copy, models[i].Name
		} else if isAdapter(s, h) {
			s.Role = Adapter
		}
	}
	return nil
}

// copied returns the index of the first of all of which a set is a copy, or -1.
func copied(s *Set, held contents, all []contents) int {
	return slices.IndexFunc(all, func(other contents) bool {
		return sameTensors(held, other) || mayBeRenamed(s) && sameShapes(held, other)
	})
}

// sortLoose sorts sets of one place that no index names. What is neither a copy
// nor an adapter is one set if no tensor is in two files, and otherwise each is
// a model: people keep collections of models in a folder, and to read them as
// one would find conflicts in every second tensor.
//
// Sets come in the order of rank, so that of two copies the likelier model is
// kept.
func (f *folder) sortLoose(ctx context.Context, sets []*Set) ([]*Set, error) {
	var models, beside []*Set
	var held []contents
	for _, s := range sets {
		h, err := f.contents(ctx, s)
		if err != nil {
			return nil, err
		}
		if i := copied(s, h, held); i >= 0 {
			s.Role, s.CopyOf = Copy, models[i].Name
			beside = append(beside, s)
			continue
		}
		if isAdapter(s, h) {
			s.Role = Adapter
		}
		models, held = append(models, s), append(held, h)
	}
	models, beside, held = setAside(models, beside, held)
	if len(models) > 1 && disjoint(held) {
		models = []*Set{f.join(models, beside)}
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
	one := &Set{Name: path.Join(folderOf(sets[0].Name), "*"+weightsSuffix), Role: Model, found: f}
	for _, s := range sets {
		one.Shards = append(one.Shards, s.Shards...)
	}
	slices.SortFunc(one.Shards, compareShards)
	for _, s := range copies {
		if slices.ContainsFunc(sets, func(of *Set) bool { return of.Name == s.CopyOf }) {
			s.CopyOf = one.Name
		}
	}
	return one
}
