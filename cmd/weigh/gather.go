// What models have to be written when they become one: their tensors, each once,
// and their metadata, as far as they agree.

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/internal/witness"
)

// A gathering is what some models have.
type gathering struct {
	sources       []*source
	parts         []part
	partly        bool              // some tensors were left out
	metadata      map[string]string // nil if no file has any
	indexMetadata map[string]string // each value as JSON
}

// gather reads the headers of the models at all targets.
func gather(ctx context.Context, sess *cli.Session, verb string, targets []string, f *reshardFlags) (_ *gathering, err error) {
	chosen, err := f.NameFlags.Compile()
	if err != nil {
		return nil, err
	}
	g := new(gathering)
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	for _, target := range targets {
		s, err := openSource(ctx, sess, verb, target, f.lenient)
		if err != nil {
			return nil, err
		}
		g.sources = append(g.sources, s)
		parts, err := s.parts(ctx)
		if err != nil {
			return nil, err
		}
		g.parts = append(g.parts, parts...)
	}
	if err := g.choose(&chosen); err != nil {
		return nil, err
	}
	if err := g.once(ctx, f.dedup); err != nil {
		return nil, err
	}
	if err := g.addMetadata(ctx, f.metadata); err != nil {
		return nil, err
	}
	g.claim()
	return g, nil
}

// close closes all files.
func (g *gathering) close() {
	for _, s := range g.sources {
		s.cp.Close()
	}
}

// tensors returns the tensors of the parts.
func (g *gathering) tensors() []*safetensors.Tensor {
	list := make([]*safetensors.Tensor, len(g.parts))
	for i := range g.parts {
		list[i] = g.parts[i].Tensor
	}
	return list
}

// witness has the parts that are elsewhere read by witnesses, so that verifying what
// was written of them does not fetch them again.
func (g *gathering) witness() {
	for i, one := range g.parts {
		if !one.here {
			g.parts[i].Tensor = &safetensors.Tensor{TensorInfo: one.TensorInfo, ReaderAt: witness.Of(one.ReaderAt)}
		}
	}
}

// choose leaves the parts that patterns choose. A pattern that matches nothing is a
// slip, and what is written would not be what was meant.
func (g *gathering) choose(chosen *cli.NameFilter) error {
	err := cli.CheckMatched(slices.Concat(chosen.Include, chosen.Exclude), func(p *glob.Pattern) bool {
		return slices.ContainsFunc(g.parts, func(one part) bool { return p.Match(one.Name) })
	})
	if err != nil {
		return err
	}
	before := len(g.parts)
	g.parts = slices.DeleteFunc(g.parts, func(one part) bool { return !chosen.Has(one.Name) })
	g.partly = len(g.parts) < before
	if g.partly && len(g.parts) == 0 {
		return cli.Usagef("--include and --exclude leave no tensor")
	}
	return nil
}

// A clash is two parts of one name.
type clash struct{ first, second part }

// once makes sure that no two parts have one name. With dedup, of those that have the
// same bytes the first is kept.
func (g *gathering) once(ctx context.Context, dedup bool) error {
	var clashes []clash
	byName := make(map[string]int, len(g.parts))
	kept := g.parts[:0]
	for _, one := range g.parts {
		if i, ok := byName[one.Name]; ok {
			clashes = append(clashes, clash{kept[i], one})
			continue
		}
		byName[one.Name] = len(kept)
		kept = append(kept, one)
	}
	g.parts = kept
	for _, c := range clashes {
		difference, err := c.difference(ctx)
		switch {
		case err != nil:
			return err
		case difference != "":
			return fmt.Errorf("tensor %q is in %q and in %q, with %s%s: rename it, or drop it, in one of them with weigh edit first", c.first.Name, c.first.file, c.second.file, difference, andMore(clashes))
		case !dedup:
			return fmt.Errorf("tensor %q is in %q and in %q, with the same bytes%s: --dedup keeps one of each", c.first.Name, c.first.file, c.second.file, andMore(clashes))
		}
	}
	return nil
}

// andMore says how many more clashes there are than the one that is told.
func andMore(clashes []clash) string {
	if len(clashes) == 1 {
		return ""
	}
	return fmt.Sprintf(" (%s more names are in two files)", typeset.Count(int64(len(clashes)-1)))
}

// difference says in what two parts differ, or returns "".
func (c *clash) difference(ctx context.Context) (string, error) {
	a, b := c.first, c.second
	if a.Dtype != b.Dtype || !slices.Equal(a.Shape, b.Shape) {
		return fmt.Sprintf("dtype and shape %s %s, and %s %s", a.Dtype, a.ShapeString(), b.Dtype, b.ShapeString()), nil
	}
	at, err := firstDifference(ctx, a.Tensor, b.Tensor, nil)
	if at < 0 || err != nil {
		return "", err
	}
	return fmt.Sprintf("other bytes from byte %d on", at), nil
}
