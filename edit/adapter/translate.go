// Translation: the modules of an adapter under the paths of another language.

package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// translate gives the modules of a component the paths of a language, with dots.
func (s *source) translate(component adapters.Component, to language) error {
	var of, rest []*module
	for _, m := range s.modules {
		if m.component == component {
			of = append(of, m)
		} else {
			rest = append(rest, m)
		}
	}
	if len(of) == 0 {
		return nil
	}
	g := glossaryOf()
	guesses := g.guesses(of, s.metadata)
	if component == adapters.Denoiser && s.arch != nil {
		guesses = slices.DeleteFunc(guesses, func(one guess) bool { return one.arch != s.arch })
	}
	if len(guesses) == 0 {
		return unknownPaths(g, of)
	}
	var result []*module
	var by, odd guess
	var failed error
	for _, one := range guesses {
		list, err := g.apply(of, one, to)
		switch {
		case err != nil && failed == nil:
			failed, odd = err, one
		case err != nil:
		case result == nil:
			result, by = list, one
		case !samePaths(list, result):
			odd = one
		}
	}
	switch {
	case result == nil:
		return failed
	case odd.arch != nil && odd.arch != by.arch:
		return fmt.Errorf("the names of the modules are those of %s and of %s, which differ in the other program, and the "+
			"metadata does not say which is meant: --set ss_base_model_version=%s tells", by.arch.name, odd.arch.name,
			by.arch.hint()+" or "+odd.arch.hint())
	}
	s.modules = append(rest, result...)
	if component == adapters.Denoiser {
		s.arch = by.arch
	}
	return nil
}

// unknownPaths returns the error that no architecture has all modules.
func unknownPaths(g *glossary, of []*module) error {
	for _, m := range of {
		if len(g.find(m.path, m.flat)) == 0 {
			return fmt.Errorf("module %s is in none of the models whose names are known: its name in the other program is "+
				"unknown", wording.Quote(m.path))
		}
	}
	return fmt.Errorf("no model whose names are known has all %d modules, the first %s: their names in the other "+
		"program are unknown", len(of), wording.Quote(of[0].path))
}

func samePaths(a, b []*module) bool {
	return slices.EqualFunc(a, b, func(x, y *module) bool { return x.path == y.path && x.label == y.label })
}

// A group is modules that are joined, cut or renamed together.
type group struct {
	rule  *rule
	from  language
	to    []string // paths
	parts []*module
}

// apply returns the modules in a language, by the rules of an architecture. The result is sorted by path.
func (g *glossary) apply(of []*module, by guess, to language) ([]*module, error) {
	groups := make(map[string]*group)
	var order []*group
	for _, m := range of {
		h, err := g.only(m, by)
		if err != nil {
			return nil, err
		}
		paths := h.rule.paths(to)
		if by.lang == to {
			paths = []string{h.path}
		} else if len(paths) == 0 {
			return nil, fmt.Errorf("module %s of %s has no name in the other program", wording.Quote(m.path), by.arch.name)
		}
		from := h.rule.paths(by.lang)
		one := &group{rule: h.rule, from: by.lang, parts: make([]*module, len(from))}
		at := h.at
		if by.lang == to {
			one.parts, at = make([]*module, 1), 0
		}
		for _, p := range paths {
			one.to = append(one.to, h.fill(p))
		}
		key := strings.Join(one.to, "\n")
		if m.label != "" { // each pair is a group of its own, unless they are for the parts
			key += "\n" + m.label
		}
		if old := groups[key]; old != nil {
			one = old
		} else {
			groups[key] = one
			order = append(order, one)
		}
		if one.parts[at] != nil {
			return nil, fmt.Errorf("modules %s and %s have one name in the other program", wording.Quote(one.parts[at].path),
				wording.Quote(m.path))
		}
		one.parts[at] = m
	}
	var result []*module
	for _, one := range order {
		list, err := one.make(by.lang == to)
		if err != nil {
			return nil, err
		}
		result = append(result, list...)
	}
	slices.SortStableFunc(result, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return result, nil
}

// only returns the one template of a guess that a path matches.
func (g *glossary) only(m *module, by guess) (*hit, error) {
	var found *hit
	for _, h := range g.find(m.path, m.flat) {
		if h.rule.arch != by.arch || h.lang != by.lang {
			continue
		}
		if found != nil && found.fill(found.path) != h.fill(h.path) {
			return nil, fmt.Errorf("module %s is %s or %s: the underscores do not tell", wording.Quote(m.path),
				wording.Quote(found.fill(found.path)), wording.Quote(h.fill(h.path)))
		}
		found = &h
	}
	return found, nil
}

// make returns the modules of a group under their new paths. If plain is set, only dots are put in.
func (one *group) make(plain bool) ([]*module, error) {
	first := one.parts[slices.IndexFunc(one.parts, func(m *module) bool { return m != nil })]
	steps, weights, err := one.rule.steps()
	if err != nil && !plain {
		return nil, fmt.Errorf("module %s: %w", wording.Quote(first.path), err)
	}
	switch {
	case plain || len(one.parts) == 1 && len(one.to) == 1:
		m := *first
		m.path, m.flat = one.to[0], false
		if !plain {
			for _, step := range steps {
				if err := m.apply(step, one.from); err != nil {
					return nil, err
				}
			}
		}
		return []*module{&m}, nil
	case len(steps) > 0:
		return nil, fmt.Errorf("module %s becomes others by %q, which is not supported for adapters",
			wording.Quote(first.path), one.rule.transform)
	case len(one.to) == 1:
		m, err := joinModules(one.to[0], one.parts, weights)
		return []*module{m}, err
	case len(one.parts) == 1 && first.label != "":
		// kohya's "split qkv": the pair with number i is for part i.
		i, err := strconv.Atoi(first.label)
		if err != nil || i >= len(one.to) {
			return nil, fmt.Errorf("module %s has pairs with the number %s, and %d parts", wording.Quote(first.path),
				first.label, len(one.to))
		}
		m := *first
		m.path, m.flat, m.label = one.to[i], false, ""
		return []*module{&m}, nil
	case len(one.parts) == 1:
		list, err := cutModule(first, one.to, weights)
		return slices.DeleteFunc(list, func(m *module) bool { return m == nil }), err
	}
	return nil, fmt.Errorf("module %s becomes several others of several, which is not supported",
		wording.Quote(first.path))
}

// steps returns the steps of the transform besides joining and cutting, and the weights of these.
func (r *rule) steps() (steps []string, weights []int64, err error) {
	for word := range strings.FieldsSeq(r.transform) {
		name, args, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		switch name {
		case "fuse", "concat", "split":
			list := strings.Split(args, ",")
			if list[0] != "" && list[0] != "0" {
				return nil, nil, fmt.Errorf("the step %q of its name's table is not supported for adapters", word)
			}
			for _, arg := range list[1:] {
				n, err := strconv.ParseInt(arg, 10, 64)
				if err != nil || n <= 0 {
					return nil, nil, fmt.Errorf("the step %q of its name's table is not supported for adapters", word)
				}
				weights = append(weights, n)
			}
		case "swap", "squeeze", "unsqueeze":
			steps = append(steps, name)
		default:
			return nil, nil, fmt.Errorf("the step %q of its name's table is not supported for adapters", word)
		}
	}
	if n := max(len(r.own), len(r.other)); weights != nil && len(weights) != n {
		return nil, nil, fmt.Errorf("%q has %d proportions for %d modules", r.transform, len(weights), n)
	}
	return steps, weights, nil
}

// apply applies a step to the matrices of a module: one that exchanges the halves of the outputs, or makes a linear
// layer of a convolution of one element or the reverse.
func (m *module) apply(step string, from language) error {
	if !m.isLoRA() || m.magnitude.is() {
		return fmt.Errorf("module %s changes its form in the other program, which only LoRA allows", wording.Quote(m.path))
	}
	if step == "swap" {
		t, err := arrange.SwapHalves(m.up.Tensor)
		m.up = made(t, "halves exchanged", m.up)
		return err
	}
	for _, one := range []*matrix{&m.down, &m.up} {
		shape := one.Shape[:2:2]
		if (step == "unsqueeze") == (from == own) {
			shape = append(shape, 1, 1)
		}
		if slices.Equal(shape, one.Shape) {
			continue
		}
		t, err := arrange.Reshape(one.Tensor, shape...)
		if err != nil {
			return err
		}
		*one = made(t, "reshaped", *one)
	}
	return nil
}
