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
	ends       map[string]bool // the ends of the keys of index
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
	p := &parser{blocks: make(map[string][]line), byType: make(map[string]*record)}
	for _, e := range entries {
		text, err := data.ReadFile(path.Join("data", e.Name()))
		if err != nil {
			return nil, err
		}
		p.begun()
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
	records []*record
	byType  map[string]*record
	record  *record // that the lines are about
	texts   []*spellingText
	form    *spellingText // that the lines are about
	blocks  map[string][]line
	block   string // that the lines are about
	set     tableSet
}

// line reads a line.
func (p *parser) line(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "arch":
		return p.begin(rest)
	case "form":
		words := strings.Fields(rest)
		p.begun()
		p.form = &spellingText{form: Form(words[0]), types: words[1:]}
		p.texts = append(p.texts, p.form)
	case "block":
		p.begun()
		p.block = rest
	case "wrapper":
		mark, what, _ := strings.Cut(rest, " ")
		p.set.wrappers = append(p.set.wrappers, Wrapper{Mark: mark, Of: what})
	case "container":
		p.set.containers = append(p.set.containers, rest)
	case "use", "drop":
		return p.spell(word, rest)
	default:
		switch {
		case strings.Contains(text, " ="):
			return p.spell("", text)
		case p.record == nil:
			return fmt.Errorf("%q is not known", word)
		}
		p.record.lines = append(p.record.lines, [2]string{word, rest})
	}
	return nil
}

// begun forgets what the last lines were about.
func (p *parser) begun() { p.record, p.form, p.block = nil, nil, "" }

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
	t.types, t.classes = make(map[string]*Architecture), make(map[string]*Architecture)
	for _, r := range p.records {
		if err := p.resolve(r, 0); err != nil {
			return nil, err
		}
		t.all, t.types[r.arch.Type] = append(t.all, r.arch), r.arch
	}
	slices.SortFunc(t.all, func(a, b *Architecture) int { return strings.Compare(a.Type, b.Type) })
	for i, a := range t.all {
		a.id = i
		slices.SortFunc(a.Tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
		for _, c := range a.Classes {
			if t.classes[c.Name] == nil {
				t.classes[c.Name] = a
			}
		}
	}
	t.spellings = make([][]*Spelling, len(t.all))
	for _, s := range p.texts {
		for _, kind := range s.types {
			a := t.types[kind]
			if a == nil {
				return nil, fmt.Errorf("a spelling %s of %s, which is not known", s.form, kind)
			}
			t.spellings[a.id] = append(t.spellings[a.id], s.of(a))
		}
	}
	t.addGGUF()
	for _, list := range t.spellings {
		slices.SortStableFunc(list, func(a, b *Spelling) int { return cmp.Compare(a.Form, b.Form) })
	}
	t.makeIndex()
	return t, nil
}
