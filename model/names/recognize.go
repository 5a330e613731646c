// Recognition: whose names a checkpoint has.

package names

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// A Recognition says whose names a checkpoint has.
type Recognition struct {
	Names    int     // the number of names
	Wrappers []Found // wrappers anywhere in names, the most frequent first; those at the beginning are in Fit.Extra
	Parts    []*Part // the parts of a single file, such as a diffusion model and its VAE; one part for most models
}

// Found is a wrapper that names have.
type Found struct {
	Wrapper
	Count   int    // the names that have it
	Example string // the first of them
}

// A Part is a model of its own in a checkpoint: all names that begin with its container.
type Part struct {
	Container string // such as "first_stage_model."; empty for names outside of all containers
	Names     int    // the number of names
	Fits      []*Fit // the architectures and forms that have such names, the best first

	patterns map[string]*Seen
	packed   map[string]bool // patterns of weights that are there as parts of packed ones
	frequent []*Seen         // the most frequent patterns first
	prefixes []string
	all      []*Fit // the best first by names alone, and without an explanation
}

// Seen is a pattern that names have.
type Seen struct {
	Pattern string // as the function Pattern returns it
	Count   int    // the number of names
	Example string // the first of them, as it is in the checkpoint
}

// A Fit is how well an architecture fits the names of a part in a form.
type Fit struct {
	Architecture *Architecture
	Form         Form
	// Class is the first class of the architecture that has the tensors that are there and no more that it requires, or
	// fewest. It is empty for forms that are not the architecture's own.
	Class    string
	Extra    string    // what the names have before those that the architecture has, such as "module."
	Lacks    string    // the prefix of the architecture that the names lack, such as "model."
	Known    int       // the number of names that the architecture has
	Patterns int       // the number of different patterns among these
	Missing  []*Tensor // required by Class, and not there
	Unknown  []Seen    // at most 20 patterns that the architecture does not have, the most frequent first

	part   *Part
	table  *table
	prefix string // of the body: Extra and what the architecture has
	head   string // of the other names
}

// limits of what is looked at, so that hostile names cost no more than others.
const (
	maxPrefixes = 8
	maxStrips   = 8 // elements of a prefix
	maxFits     = 32
	maxUnknown  = 20
	maxFrequent = 5000 // patterns among which unknown ones are looked for
)

// Recognize compares names with all tables. Its time is linear in the number of names.
func Recognize(list iter.Seq[string]) *Recognition {
	t := tables()
	r := &Recognition{}
	found := make(map[*Wrapper]*Found)
	byContainer := make(map[string]*Part)
	var buffer []byte
	for name := range list {
		r.Names++
		bare := t.unwrap(name, func(w *Wrapper) {
			if found[w] == nil {
				found[w] = &Found{Wrapper: *w, Example: name}
			}
			found[w].Count++
		})
		container := t.container(bare)
		p := byContainer[container]
		if p == nil {
			p = &Part{Container: container, patterns: make(map[string]*Seen)}
			byContainer[container] = p
			r.Parts = append(r.Parts, p)
		}
		p.Names++
		buffer = appendPattern(buffer[:0], bare[len(container):])
		s := p.patterns[string(buffer)]
		if s == nil {
			s = &Seen{Pattern: string(buffer), Example: name}
			p.patterns[s.Pattern] = s
		}
		s.Count++
	}
	for _, f := range found {
		r.Wrappers = append(r.Wrappers, *f)
	}
	slices.SortFunc(r.Wrappers, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Mark, b.Mark))
	})
	slices.SortFunc(r.Parts, func(a, b *Part) int { return cmp.Compare(b.Names, a.Names) })
	for _, p := range r.Parts {
		p.recognize(t)
	}
	return r
}

// container returns the container that a name begins with, or nothing.
func (t *tableSet) container(name string) string {
	for _, c := range t.containers {
		if strings.HasPrefix(name, c) {
			return c
		}
	}
	return ""
}

// Best returns the best fit of the largest part, and whether one is credible.
func (r *Recognition) Best() (*Fit, bool) {
	if len(r.Parts) == 0 {
		return nil, false
	}
	best := r.Parts[0].Best()
	if len(best) == 0 {
		return nil, false
	}
	return best[0], true
}

// Best returns the fits that are as good as the first, or none if that is not credible: at least three patterns, and
// half of the names.
func (p *Part) Best() []*Fit {
	if len(p.Fits) == 0 || p.Fits[0].Patterns < 3 || p.Fits[0].Known*2 < p.Names {
		return nil
	}
	n := 1
	for n < len(p.Fits) && p.Fits[n].Known == p.Fits[0].Known && len(p.Fits[n].Missing) == len(p.Fits[0].Missing) {
		n++
	}
	return p.Fits[:n]
}

// Fit returns how an architecture fits the names, in the form that fits best, or nil if it has none of the names.
func (p *Part) Fit(a *Architecture) *Fit {
	for _, f := range p.all {
		if f.Architecture == a {
			if f.Missing == nil && f.Unknown == nil {
				f.explain()
			}
			return f
		}
	}
	return nil
}

// A hit is the places of the tables that a pattern may be at, and the prefix before it.
type hit struct {
	*Seen
	prefix string
	places []place
}

// hits returns the hits of all patterns, and notes which weights are packed.
func (p *Part) hits(t *tableSet) (list []hit) {
	p.packed = make(map[string]bool)
	for _, s := range p.patterns {
		n := len(list)
		list = t.hits(list, s, s.Pattern)
		if weight := weightOf(s.Pattern); weight != s.Pattern && t.mayHave(weight) {
			p.packed[weight] = true
			if len(list) == n {
				list = t.hits(list, s, weight)
			}
		}
	}
	return list
}

// hits appends the hits of a key, which is a pattern or the weight that a pattern is a part of.
func (t *tableSet) hits(list []hit, s *Seen, key string) []hit {
	if !t.mayHave(key) {
		return list
	}
	for begin, strips := 0, 0; ; strips++ {
		if places := t.index[key[begin:]]; places != nil {
			list = append(list, hit{s, key[:begin], places})
		}
		end := strings.IndexByte(key[begin:], '.')
		if end < 0 || strips == maxStrips || key[begin:begin+end] == "#" {
			return list
		}
		begin += end + 1
	}
}

// A tally is what a table has of the patterns with a prefix.
type tally struct{ patterns, body, head int }

// recognize finds the fits of a part.
func (p *Part) recognize(t *tableSet) {
	hits := p.hits(t)
	p.findPrefixes(hits)
	p.findFrequent()
	at := make(map[string]int, len(p.prefixes))
	for i, prefix := range p.prefixes {
		at[prefix] = i
	}
	tallies := make([]tally, len(t.tables)*len(p.prefixes))
	for _, h := range hits {
		column, ok := at[h.prefix]
		if !ok {
			continue
		}
		for _, place := range h.places {
			one := &tallies[int(place.table)*len(p.prefixes)+column]
			one.patterns++
			if t.tables[place.table].entries[place.entry].body {
				one.body += h.Count
			} else {
				one.head += h.Count
			}
		}
	}
	for i, table := range t.tables {
		if f := p.fit(table, tallies[i*len(p.prefixes):][:len(p.prefixes)]); f != nil {
			p.all = append(p.all, f)
		}
	}
	slices.SortStableFunc(p.all, func(a, b *Fit) int {
		return cmp.Or(cmp.Compare(b.Known, a.Known), a.foreign()-b.foreign(),
			cmp.Compare(len(a.table.entries), len(b.table.entries)))
	})
	p.Fits = slices.Clone(p.all[:min(len(p.all), maxFits)])
	for _, f := range p.Fits {
		f.explain()
	}
	slices.SortStableFunc(p.Fits, func(a, b *Fit) int {
		return cmp.Or(cmp.Compare(b.Known, a.Known), cmp.Compare(len(a.Missing), len(b.Missing)), a.foreign()-b.foreign(),
			cmp.Compare(len(a.table.entries), len(b.table.entries)))
	})
}

// foreign returns 0 for the architecture's own form, otherwise 1: many names of others are the same.
func (f *Fit) foreign() int {
	if f.Form == f.Architecture.Form {
		return 0
	}
	return 1
}

// findPrefixes finds what most known patterns begin with.
func (p *Part) findPrefixes(hits []hit) {
	count := make(map[string]int)
	for i := range hits {
		count[hits[i].prefix]++
	}
	for prefix, n := range count {
		at, _ := slices.BinarySearchFunc(p.prefixes, prefix, func(a, b string) int {
			return cmp.Or(cmp.Compare(n, count[a]), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
		})
		if at < maxPrefixes {
			p.prefixes = slices.Insert(p.prefixes, at, prefix)
			p.prefixes = p.prefixes[:min(len(p.prefixes), maxPrefixes)]
		}
	}
}

// fit returns how a table fits, or nil if it has none of the names.
func (p *Part) fit(table *table, tallies []tally) *Fit {
	var best *Fit
	for i, body := range p.prefixes {
		known, patterns := tallies[i].body, tallies[i].patterns
		if known == 0 {
			continue
		}
		head, outside := "", 0
		for j, prefix := range p.prefixes {
			if prefix == "" || prefix == body || prefix+table.prefix == body {
				if n := tallies[j].head; n > outside {
					head, outside = prefix, n
				}
			}
		}
		if best == nil || known+outside > best.Known {
			best = &Fit{Architecture: table.arch, Form: table.form, Known: known + outside, Patterns: patterns,
				part: p, table: table, prefix: body, head: head}
		}
	}
	if best != nil {
		extra, whole := strings.CutSuffix(best.prefix, table.prefix)
		if best.Extra = extra; !whole {
			best.Lacks = table.prefix
		}
	}
	return best
}

// explain finds what is missing, and what is not known.
func (f *Fit) explain() {
	has := make(map[string]bool, len(f.table.entries))
	for i := range f.table.entries {
		pattern := f.pattern(&f.table.entries[i])
		has[pattern] = f.part.patterns[pattern] != nil || f.part.packed[pattern]
	}
	f.Class, f.Missing = f.class(has)
	for _, s := range f.part.frequent {
		_, ok := has[s.Pattern]
		if _, packed := has[weightOf(s.Pattern)]; !ok && !packed && len(f.Unknown) < maxUnknown {
			f.Unknown = append(f.Unknown, *s)
		}
	}
}

// weightOf returns the name of the weight that a tensor is a part of, if it is packed, otherwise the name itself.
func weightOf(pattern string) string {
	if module, role := parts.Split(pattern); role != parts.Weight {
		return module + ".weight"
	}
	return pattern
}

// findFrequent finds the most frequent patterns. It sorts no more than twice as many as it keeps.
func (p *Part) findFrequent() {
	sort := func() {
		slices.SortFunc(p.frequent, func(a, b *Seen) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Pattern, b.Pattern))
		})
		p.frequent = p.frequent[:min(len(p.frequent), maxFrequent)]
	}
	var last *Seen // the last of the most frequent patterns so far
	for _, s := range p.patterns {
		if last != nil && (s.Count < last.Count || s.Count == last.Count && s.Pattern > last.Pattern) {
			continue
		}
		if p.frequent = append(p.frequent, s); len(p.frequent) == 2*maxFrequent {
			sort()
			last = p.frequent[maxFrequent-1]
		}
	}
	sort()
	p.frequent = slices.Clip(p.frequent)
}

// class returns the class that fits best, and what it misses. has says of each pattern whether it is there.
func (f *Fit) class(has map[string]bool) (name string, missing []*Tensor) {
	if f.Form != f.Architecture.Form || len(f.Architecture.Classes) == 0 {
		_, missing = f.compare(has, &Class{})
		return "", missing
	}
	least := -1
	for i := range f.Architecture.Classes {
		c := &f.Architecture.Classes[i]
		wrong, lacking := f.compare(has, c)
		wrong = 2 * (wrong + len(lacking))
		if c.Prefix != f.prefix && !strings.HasSuffix(f.prefix, "."+c.Prefix) {
			wrong++
		}
		if least < 0 || wrong < least {
			least, name, missing = wrong, c.Name, lacking
		}
	}
	return name, missing
}

// compare returns how many tensors are there that a class does not have, and which required ones are not there.
func (f *Fit) compare(has map[string]bool, c *Class) (wrong int, missing []*Tensor) {
	for i := range f.table.entries {
		e := &f.table.entries[i]
		in := c.Has(e.tensor.Name)
		if e.added {
			in = slices.Contains(c.Adds, e.name)
		}
		switch there := has[f.pattern(e)]; {
		case there && !in:
			wrong++
		case !there && in && e.tensor.Need == Required:
			missing = append(missing, e.tensor)
		}
	}
	return wrong, missing
}

// pattern returns the pattern that names of an entry have in the part.
func (f *Fit) pattern(e *entry) string {
	if e.body {
		return f.prefix + e.key
	}
	return f.head + e.key
}
