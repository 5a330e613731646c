// Sorting the weights of a folder into sets.

package checkpoint

import (
	"cmp"
	"context"
	"slices"

	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/weightless"
)

// candidates reads the indexes of a place, and groups the files that they do not name. The caller
// has the turn.
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
		// Programs that merge shards leave the index behind, and the library transformers then
		// reads the one file. With a truncated index, files that it would have named would be
		// unlisted.
		if index.Truncated(s.index) || !s.anyThere() {
			c.stale = append(c.stale, s)
			continue
		}
		c.live = append(c.live, s)
		for _, shard := range s.Shards {
			f.claimed[shard] = true
		}
	}
	byRank := func(a, b *Set) int {
		return cmp.Or(cmp.Compare(a.parts().Rank(), b.parts().Rank()), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(c.live, byRank)
	slices.SortFunc(c.stale, byRank)
	c.loose = f.loose(p)
	slices.SortFunc(c.loose, byRank)
	c.setTrainingAside()
	p.candidates = c
	return c, nil
}

// anyThere reports whether any of the shards exists.
func (s *Set) anyThere() bool { return slices.ContainsFunc(s.Shards, s.found.has) }

// has reports whether a path is among the listed weights.
func (f *folder) has(path string) bool {
	if !f.listed {
		return true // for all we know
	}
	p, ok := f.places[naming.Folder(path)]
	if !ok {
		return false
	}
	_, found := slices.BinarySearch(p.weights, path) // listings are in order
	return found
}

// loose groups the weights of a place that no index names: numbered files by their numbering, and
// every other file on its own.
func (f *folder) loose(p *place) []*Set {
	var sets []*Set
	byNumbering := make(map[naming.Numbering]*Set)
	for _, path := range p.weights {
		if f.claimed[path] {
			continue
		}
		n, _, ok := naming.Numbered(path)
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
		slices.SortFunc(s.Shards, naming.CompareShards)
		s.Name = s.Shards[0]
		if n, _, ok := naming.Numbered(s.Name); ok {
			s.Name = n.Prefix + "*" + n.Suffix
		}
	}
	return sets
}

// model returns the one model of the folder.
func (f *folder) model(ctx context.Context) (*Set, error) {
	if s, err := f.evident(ctx); s != nil || err != nil {
		return s, err
	}
	sets, err := f.sets(ctx)
	if err != nil {
		return nil, err
	}
	if len(counted(sets)) > 1 {
		return nil, f.severalModels(sets)
	}
	return sets[0], nil
}

// evident returns the model if names and indexes determine it, and otherwise nil. It reads no
// header.
func (f *folder) evident(ctx context.Context) (*Set, error) {
	if err := f.turn.Wait(ctx); err != nil {
		return nil, err
	}
	defer f.turn.End()
	own, ok := f.places[f.path]
	if !ok || f.parts != nil {
		return nil, nil
	}
	c, err := f.candidates(ctx, own)
	if err != nil || len(c.live) == 0 && len(c.loose) > 1 {
		return nil, err
	}
	all := c.declared()
	isOther := func(s *Set) bool { return byName(s, all[0]) == "" }
	if len(all) > 1 && slices.ContainsFunc(all[1:], isOther) {
		return nil, nil
	}
	return c.first(), nil
}

// severalModels returns the error of a folder with several models.
func (f *folder) severalModels(sets []*Set) error {
	var names []string
	for _, s := range counted(sets) {
		names = append(names, s.Name)
	}
	return weightless.Several(names)
}

// A SeveralModelsError says that a folder has several models where one is expected.
type SeveralModelsError = weightless.SeveralError

// declared returns the sets of indexes. Those whose shards are all missing count only if there is
// nothing else.
func (c *candidates) declared() []*Set {
	if len(c.live)+len(c.loose) == 0 {
		return c.stale
	}
	return c.live
}

// first returns the set that is the model if no headers are needed to decide.
func (c *candidates) first() *Set {
	sets := slices.Concat(c.live, c.loose, c.stale)
	if len(c.live)+len(c.loose) > 0 && sets[0].stale == nil && c.stale != nil {
		sets[0].stale = c.stale // once: it may be read concurrently later
	}
	return sets[0]
}

// sets returns all sets of the folder, models first. It may be called again after an error, and
// continues with what it has found out.
func (f *folder) sets(ctx context.Context) ([]*Set, error) {
	if err := f.turn.Wait(ctx); err != nil {
		return nil, err
	}
	defer f.turn.End()
	if f.sorted != nil {
		return f.sorted, nil
	}
	var inside, beside []*Set
	if err := f.learnCompared(ctx); err != nil {
		return nil, err
	}
	c := newComparer(f)
	for _, p := range f.inOrder() {
		sets, err := c.sortPlace(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, s := range sets {
			s.Piped = f.parts != nil && f.isPart(p.path)
		}
		if f.isInside(p) {
			inside = append(inside, sets...)
		} else {
			beside = append(beside, sets...)
		}
	}
	f.joinModules(inside)
	if len(inside) == 0 {
		inside, beside = beside, nil // an index in the folder itself names the files below
	}
	if err := c.relate(ctx, beside, counted(inside)); err != nil {
		return nil, err
	}
	all := append(inside, beside...)
	slices.SortStableFunc(all, func(a, b *Set) int { return boolOrder(!a.Counted(), !b.Counted()) })
	f.sorted = all
	return all, nil
}

// learnCompared reads the headers of the sets that will be compared with others, all at once: on a network, one
// set after the other would take as many round trips. The caller has the turn.
func (f *folder) learnCompared(ctx context.Context) error {
	var inside, beside, several []*Set // several are those of places with more than one set
	for _, p := range f.inOrder() {
		c, err := f.candidates(ctx, p)
		if err != nil {
			return err
		}
		own := slices.Concat(c.declared(), c.loose)
		if len(own) > 1 {
			several = append(several, own...)
		}
		if f.isInside(p) {
			inside = append(inside, own...)
		} else {
			beside = append(beside, own...)
		}
	}
	if len(inside) > 0 && len(beside) > 0 {
		several = append(inside, beside...)
	}
	f.learnAll(ctx, several)
	return nil
}

// isInside reports whether a place can have the model or a part of it.
func (f *folder) isInside(p *place) bool {
	switch {
	case f.parts != nil:
		return f.isPart(p.path)
	case f.modules != nil && f.isPart(p.path):
		return true
	case f.places[f.path] != nil:
		return p.path == f.path
	}
	return true
}
