// Spellings: the names of an architecture in another form.

package names

import (
	"slices"
	"strings"
)

// A Rename is what becomes of some tensors of an architecture in a spelling.
type Rename struct {
	From []string // names in the architecture's own form; none for a tensor that only the spelling has
	To   []string // names in the spelling
	// Transform says how the values of To are made of those of From, or is empty if they are the same. It is a sequence
	// of steps, such as "interleave(heads)" or "transpose stack", that docs/names.md lists.
	Transform string
}

// A Spelling is how a form spells the names of an architecture.
type Spelling struct {
	Form    Form
	Source  string
	Renames []Rename
	Lacks   []string // names of the architecture that the form does not have
}

// Spellings returns how other forms spell the names of the architecture, sorted by form. The caller must not change
// them.
func (a *Architecture) Spellings() []*Spelling { return tables().spellings[a.id] }

// Spelling returns how a form spells the names of the architecture, or nil if the tables do not know it.
func (a *Architecture) Spelling(form Form) *Spelling {
	for _, s := range a.Spellings() {
		if s.Form == form {
			return s
		}
	}
	return nil
}

// A line is a line about a spelling in the data: "to = from : transform".
type line struct {
	to, from  []string // alternatives, each of one name or of several that + separates
	transform string
	star      bool // all names that begin so
}

// A spellingText is a spelling in the data, for some architectures.
type spellingText struct {
	form   Form
	types  []string
	source string
	lines  []line
}

// of returns the spelling for an architecture. Lines about names that the architecture does not have say nothing.
func (s *spellingText) of(a *Architecture) *Spelling {
	has := make(map[string]bool, len(a.Tensors)) // whether a name has got its spelling
	for i := range a.Tensors {
		has[a.Tensors[i].Name] = false
	}
	result := &Spelling{Form: s.form, Source: s.source}
	for i := range s.lines {
		l := &s.lines[i]
		if l.star {
			result.Renames = append(result.Renames, l.all(a, has)...)
			continue
		}
		for j := range l.from {
			r := Rename{From: names(l.from[j]), To: names(l.to[j]), Transform: l.transform}
			if slices.ContainsFunc(r.From, func(name string) bool { _, ok := has[name]; return !ok }) {
				continue
			}
			for _, name := range r.From {
				has[name] = true
			}
			if len(r.To) > 0 {
				result.Renames = append(result.Renames, r)
			} else {
				result.Lacks = append(result.Lacks, r.From...)
			}
		}
	}
	for i := range a.Tensors {
		if name := a.Tensors[i].Name; !has[name] {
			result.Lacks = append(result.Lacks, name)
		}
	}
	slices.Sort(result.Lacks)
	return result
}

// all returns the renames of a line with a star, for the names that no line before it has renamed.
func (l *line) all(a *Architecture, has map[string]bool) (renames []Rename) {
	for i := range a.Tensors {
		name := a.Tensors[i].Name
		if rest, ok := strings.CutPrefix(name, l.from[0]); ok && !has[name] {
			has[name] = true
			renames = append(renames, Rename{From: []string{name}, To: []string{l.to[0] + rest}, Transform: l.transform})
		}
	}
	return renames
}

// names splits names that + separates.
func names(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, " + ")
}
