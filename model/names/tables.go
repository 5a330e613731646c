// The tables: reading the data.

package names

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.txt
var data embed.FS

// A tableSet is all that the data says.
type tableSet struct {
	all        []*Architecture
	types      map[string]*Architecture
	classes    map[string]*Architecture
	spellings  [][]*Spelling // of the architecture with an id
	wrappers   []Wrapper
	containers []string
	index      map[string][]place
	tables     []*table
}

// tables returns the tables, which are built at first use. The tests show that the data has no errors.
var tables = sync.OnceValue(func() *tableSet {
	t, err := load()
	if err != nil {
		panic(err)
	}
	return t
})

// load reads all files of the data.
func load() (*tableSet, error) {
	entries, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	p := &parser{blocks: make(map[string][]line), byType: make(map[string]*Architecture)}
	for _, e := range entries {
		text, err := data.ReadFile(path.Join("data", e.Name()))
		if err != nil {
			return nil, err
		}
		p.arch, p.form, p.block = nil, nil, ""
		number := 0
		for text := range strings.Lines(string(text)) {
			number++
			text = strings.TrimSpace(text)
			if text == "" || text[0] == '#' {
				continue
			}
			if err := p.line(text); err != nil {
				return nil, fmt.Errorf("data/%s:%d: %w", e.Name(), number, err)
			}
		}
	}
	return p.finish()
}

// A parser reads the data. Each line begins with a word that says what it is, except those of spellings, which have
// " = ".
type parser struct {
	archs  []*Architecture
	byType map[string]*Architecture
	arch   *Architecture // that the lines are about
	texts  []*spellingText
	form   *spellingText // that the lines are about
	blocks map[string][]line
	block  string // that the lines are about
	set    tableSet
}

func (p *parser) line(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "arch":
		return p.begin(rest)
	case "form":
		words := strings.Fields(rest)
		p.form, p.arch, p.block = &spellingText{form: Form(words[0]), types: words[1:]}, nil, ""
		p.texts = append(p.texts, p.form)
	case "block":
		p.block, p.form, p.arch = rest, nil, nil
	case "wrapper":
		mark, what, _ := strings.Cut(rest, " ")
		p.set.wrappers = append(p.set.wrappers, Wrapper{Mark: mark, Of: what})
	case "container":
		p.set.containers = append(p.set.containers, rest)
	case "use", "drop":
		return p.spell(word, rest)
	default:
		if strings.Contains(text, " =") {
			return p.spell("", text)
		}
		return p.tensors(word, rest)
	}
	return nil
}

// begin begins an architecture: "TYPE" or "TYPE < PARENT".
func (p *parser) begin(text string) error {
	kind, parent, like := strings.Cut(text, " < ")
	if p.byType[kind] != nil {
		return fmt.Errorf("architecture %s is there twice", kind)
	}
	p.arch, p.form, p.block = &Architecture{Type: kind, id: len(p.archs)}, nil, ""
	if like {
		of := p.byType[parent]
		if of == nil {
			return fmt.Errorf("architecture %s is not known yet", parent)
		}
		p.arch.Tensors, p.arch.Prefix = slices.Clone(of.Tensors), of.Prefix
	}
	p.archs, p.byType[kind] = append(p.archs, p.arch), p.arch
	return nil
}

// tensors reads a line about the architecture.
func (p *parser) tensors(word, rest string) error {
	a := p.arch
	if a == nil {
		return fmt.Errorf("%q is not known", word)
	}
	if need := slices.Index(needs[:], word); need >= 0 {
		for _, name := range expand(rest) {
			a.remove(name)
			a.Tensors = append(a.Tensors, Tensor{Name: name, Need: Need(need), Role: roleOf(name)})
		}
		return nil
	}
	switch word {
	case "source":
		a.Source = rest
		a.Form = Transformers
		if strings.HasPrefix(rest, "diffusers ") {
			a.Form = Diffusers
		}
	case "prefix":
		a.Prefix = strings.TrimPrefix(rest, "-")
	case "class":
		words := strings.Fields(rest)
		a.Classes = append(a.Classes, Class{Name: words[0], Prefix: strings.TrimPrefix(words[1], "-"), Heads: words[2:]})
	case "embedding", "head", "norm":
		for _, name := range expand(rest) {
			t, ok := a.Tensor(name)
			if !ok {
				return fmt.Errorf("%s has no tensor %s", a.Type, name)
			}
			t.Role = Role(slices.Index(roles[:], word))
		}
	case "without":
		for _, name := range expand(rest) {
			if !a.remove(name) {
				return fmt.Errorf("%s has no tensor %s", a.Type, name)
			}
		}
	default:
		return fmt.Errorf("%q is not known", word)
	}
	return nil
}

// remove removes a tensor, and reports whether it was there.
func (a *Architecture) remove(name string) bool {
	n := len(a.Tensors)
	a.Tensors = slices.DeleteFunc(a.Tensors, func(t Tensor) bool { return t.Name == name })
	return len(a.Tensors) < n
}

// roleOf returns the role of a tensor as far as its name shows it.
func roleOf(name string) Role {
	if strings.Contains(name, "{n}") {
		return Layer
	}
	return Other
}

// spell reads a line about a spelling.
func (p *parser) spell(word, text string) error {
	var add []line
	switch word {
	case "use":
		name, prefixes, _ := strings.Cut(text, " ")
		lines, ok := p.blocks[name]
		if !ok {
			return fmt.Errorf("block %s is not known yet", name)
		}
		to, from, _ := strings.Cut(prefixes, " = ")
		add = within(lines, strings.TrimSpace(to), from)
	case "drop":
		from := expand(text)
		add = []line{{from: from, to: make([]string, len(from))}}
	default:
		if source, ok := strings.CutPrefix(text, "source = "); ok && p.form != nil {
			p.form.source = source
			return nil
		}
		l, err := parseLine(text)
		if err != nil {
			return err
		}
		add = []line{l}
	}
	switch {
	case p.form != nil:
		p.form.lines = append(p.form.lines, add...)
	case p.block != "":
		p.blocks[p.block] = append(p.blocks[p.block], add...)
	default:
		return fmt.Errorf("a spelling without a form")
	}
	return nil
}

// parseLine reads "to = from : transform".
func parseLine(text string) (l line, err error) {
	to, from, _ := strings.Cut(text, " =")
	from, l.transform, _ = strings.Cut(from, " : ")
	from = strings.TrimSpace(from)
	to, star := strings.CutSuffix(to, "*")
	from, all := strings.CutSuffix(from, "*")
	l.star, l.to, l.from = star, expand(to), expand(from)
	if star != all || len(l.to) != len(l.from) {
		return l, fmt.Errorf("%d names become %d", len(l.from), len(l.to))
	}
	return l, nil
}

// within returns lines for what begins with a prefix.
func within(lines []line, to, from string) []line {
	result := slices.Clone(lines)
	put := func(prefix string, names []string) []string {
		names = slices.Clone(names)
		for i, name := range names {
			if name != "" {
				names[i] = prefix + strings.ReplaceAll(name, " + ", " + "+prefix)
			}
		}
		return names
	}
	for i := range result {
		result[i].to, result[i].from = put(to, result[i].to), put(from, result[i].from)
	}
	return result
}

// finish makes the tables of what was read.
func (p *parser) finish() (*tableSet, error) {
	t := &p.set
	t.types, t.classes, t.all = p.byType, make(map[string]*Architecture), slices.Clone(p.archs)
	t.spellings = make([][]*Spelling, len(p.archs))
	slices.SortFunc(t.all, func(a, b *Architecture) int { return strings.Compare(a.Type, b.Type) })
	for _, a := range t.all {
		slices.SortFunc(a.Tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
		for _, c := range a.Classes {
			if t.classes[c.Name] == nil {
				t.classes[c.Name] = a
			}
		}
	}
	for _, s := range p.texts {
		for _, kind := range s.types {
			a := p.byType[kind]
			if a == nil {
				return nil, fmt.Errorf("a spelling %s of %s, which is not known", s.form, kind)
			}
			t.spellings[a.id] = append(t.spellings[a.id], s.of(a))
		}
	}
	for _, list := range t.spellings {
		slices.SortStableFunc(list, func(a, b *Spelling) int { return cmp.Compare(a.Form, b.Form) })
	}
	t.makeIndex()
	return t, nil
}
