// Records: the lines of the data about one architecture.

package names

import (
	"fmt"
	"slices"
	"strings"
)

// A record is what the data says about an architecture.
type record struct {
	arch   *Architecture
	parent string // the type whose tensors it has, too
	stem   string // what the names of its classes begin with
	lines  [][2]string
	done   bool
	has    map[string]bool // the names of the tensors of the parent
}

// begin begins an architecture: "TYPE" or "TYPE < PARENT".
func (p *parser) begin(text string) error {
	kind, parent, _ := strings.Cut(text, " < ")
	if p.byType[kind] != nil {
		return fmt.Errorf("architecture %s is there twice", kind)
	}
	p.begun()
	p.record = &record{arch: &Architecture{Type: kind}, parent: parent}
	p.records, p.byType[kind] = append(p.records, p.record), p.record
	return nil
}

// resolve makes the architecture of a record, after those that it refers to.
func (p *parser) resolve(r *record, depth int) error {
	if r.done {
		return nil
	}
	if r.parent != "" {
		parent := p.byType[r.parent]
		if parent == nil || depth > len(p.records) {
			return fmt.Errorf("architecture %s is like %s, which is not known or like itself", r.arch.Type, r.parent)
		}
		if err := p.resolve(parent, depth+1); err != nil {
			return err
		}
		r.inherit(parent)
	}
	r.done = true
	for _, line := range r.lines {
		if err := r.line(line[0], line[1]); err != nil {
			return fmt.Errorf("architecture %s: %w", r.arch.Type, err)
		}
	}
	return nil
}

func (r *record) inherit(parent *record) {
	r.arch.Tensors = slices.Clone(parent.arch.Tensors)
	r.has = make(map[string]bool, len(r.arch.Tensors))
	for i := range r.arch.Tensors {
		r.has[r.arch.Tensors[i].Name] = true
	}
	r.arch.Prefix, r.arch.Ties, r.arch.Form = parent.arch.Prefix, parent.arch.Ties, parent.arch.Form
	for _, line := range r.lines {
		stem, like := strings.CutSuffix(line[1], " <")
		if line[0] != "stem" || !like {
			continue
		}
		for _, c := range parent.arch.Classes {
			c.Name = stem + strings.TrimPrefix(c.Name, parent.stem)
			r.arch.Classes = append(r.arch.Classes, c)
		}
	}
}

// line reads a line about an architecture.
func (r *record) line(word, rest string) error {
	a := r.arch
	if need := slices.Index(needs[:], word); need >= 0 {
		for _, name := range expand(rest) {
			role := Other
			if strings.Contains(name, "{n}") {
				role = Layer
			}
			if r.has[name] {
				a.remove(name)
			}
			a.Tensors = append(a.Tensors, Tensor{Name: name, Need: Need(need), Role: role, pattern: Pattern(name)})
		}
		return nil
	}
	switch word {
	case "source":
		a.Source, a.Form = rest, Transformers
		if strings.HasPrefix(rest, "diffusers ") {
			a.Form = Diffusers
		}
	case "prefix":
		a.Prefix = strings.TrimPrefix(rest, "-")
	case "stem":
		r.stem = strings.TrimSuffix(rest, " <")
	case "ties":
		a.Ties = rest == "yes"
	case "class":
		return r.class(strings.Fields(rest))
	case "embedding", "head", "norm":
		for _, name := range expand(rest) {
			i := slices.IndexFunc(a.Tensors, func(t Tensor) bool { return t.Name == name })
			if i < 0 {
				return fmt.Errorf("there is no tensor %s", name)
			}
			a.Tensors[i].Role = Role(slices.Index(roles[:], word))
		}
	case "without":
		for _, name := range expand(rest) {
			if !a.remove(name) {
				return fmt.Errorf("there is no tensor %s", name)
			}
		}
	default:
		return fmt.Errorf("%q is not known", word)
	}
	return nil
}

// class reads "PREFIX NAME... [+TENSOR...] [-TENSOR...]".
func (r *record) class(words []string) error {
	of := Class{Prefix: strings.TrimPrefix(words[0], "-")}
	var classes []string
	for _, word := range words[1:] {
		switch word[0] {
		case '+':
			of.Adds = append(of.Adds, expand(word[1:])...)
		case '-':
			of.Lacks = append(of.Lacks, expand(word[1:])...)
		default:
			classes = append(classes, word)
		}
	}
	for _, name := range classes {
		of.Name = name
		r.arch.Classes = append(r.arch.Classes, of)
	}
	return nil
}

// remove removes a tensor, and reports whether it was there.
func (a *Architecture) remove(name string) bool {
	n := len(a.Tensors)
	a.Tensors = slices.DeleteFunc(a.Tensors, func(t Tensor) bool { return t.Name == name })
	return len(a.Tensors) < n
}
