// Paths: the names of modules in diffusers and in the original code, with dots or flattened.

package adapter

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// keyOf replaces the elements of a path that are numbers or placeholders.
func keyOf(path, separator string) string {
	list := strings.Split(path, separator)
	for i, e := range list {
		if isNumber(e) || isPlaceholder(e) {
			list[i] = "#"
		}
	}
	return strings.Join(list, separator)
}

func isNumber(e string) bool { return e != "" && len(e) < 10 && strings.Trim(e, "0123456789") == "" }

func isPlaceholder(e string) bool { return len(e) == 3 && e[0] == '{' && e[2] == '}' }

// numbersOf returns the elements of a path that are numbers or placeholders.
func numbersOf(path string) (list []string) {
	for e := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '.' || c == '_' }) {
		if isNumber(e) || isPlaceholder(e) {
			list = append(list, e)
		}
	}
	return list
}

// A hit is a template that matches a path, with the numbers for its placeholders.
type hit struct {
	*template
	numbers map[string]string
}

// find returns the templates that match a path.
func (g *glossary) find(path string, flat bool) (hits []hit) {
	list := g.dotted[keyOf(path, ".")]
	if flat {
		list = g.flat[keyOf(path, "_")]
	}
	have := numbersOf(path)
	for _, t := range list {
		if numbers, ok := bind(numbersOf(t.path), have); ok {
			hits = append(hits, hit{t, numbers})
		}
	}
	return hits
}

// bind returns the numbers for placeholders, or false if they contradict each other or the numbers of the template.
func bind(template, have []string) (map[string]string, bool) {
	if len(template) != len(have) {
		return nil, false
	}
	numbers := make(map[string]string)
	for i, e := range template {
		if !isPlaceholder(e) {
			if e != have[i] {
				return nil, false
			}
			continue
		}
		if old, ok := numbers[e]; ok && old != have[i] {
			return nil, false
		}
		if _, err := strconv.Atoi(have[i]); err != nil {
			return nil, false
		}
		numbers[e] = have[i]
	}
	return numbers, true
}

// fill returns a path with numbers in place of its placeholders.
func (h *hit) fill(path string) string {
	for name, n := range h.numbers {
		path = strings.ReplaceAll(path, name, n)
	}
	return path
}

// A guess is a model and a language in which the paths of all modules are known.
type guess struct {
	arch *arch
	lang language
}

// guesses returns the models and languages that know all paths of some modules. If the metadata names one of the
// models, the others are left out.
func (g *glossary) guesses(modules []*module, metadata map[string]string) (list []guess) {
	for i, m := range modules {
		here := make(map[guess]bool)
		for _, h := range g.find(m.path, m.flat) {
			if h.rule.arch.has(strings.Split(h.fill(h.path), ".")) {
				here[guess{h.rule.arch, h.lang}] = true
			}
		}
		if i == 0 {
			list = slices.SortedFunc(maps.Keys(here), func(a, b guess) int {
				return cmp.Or(strings.Compare(a.arch.name, b.arch.name), cmp.Compare(a.lang, b.lang))
			})
			continue
		}
		list = slices.DeleteFunc(list, func(one guess) bool { return !here[one] })
	}
	isMeant := func(one guess) bool { return one.arch.isMeant(metadata) }
	if slices.ContainsFunc(list, isMeant) {
		list = slices.DeleteFunc(list, func(one guess) bool { return !isMeant(one) })
	}
	return list
}
