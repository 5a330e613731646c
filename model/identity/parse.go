// The text form of signatures.

package identity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// MaxFile is the largest file of signatures that is parsed, in bytes.
const MaxFile = 16 << 20

// Parse reads signatures of a user, which may refine the built-in ones. Errors are one line and begin with
// "NAME:LINE: ".
func Parse(name string, text []byte) (*Signatures, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("%s: %v bytes of signatures, and %v are the most", name, wording.Grouped(int64(len(text))),
			wording.Grouped(MaxFile))
	}
	s := new(Signatures)
	for _, built := range Builtin().list {
		s.list = append(s.list, built.clone())
	}
	s.link()
	if err := s.read(name, string(text), true); err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

// clone returns a copy without relations.
func (s *Signature) clone() *Signature {
	c := *s
	c.children = nil
	return &c
}

// link replaces the relations of copied signatures.
func (s *Signatures) link() {
	s.byID = make(map[string]*Signature, len(s.list))
	for _, one := range s.list {
		s.byID[one.ID] = one
		if one.parent != nil {
			one.parent = s.byID[one.parent.ID]
			one.parent.children = append(one.parent.children, one)
		}
	}
}

// A reader reads one file of signatures.
type reader struct {
	*Signatures
	name string
	line int
	now  *Signature
	own  bool
}

// read adds the signatures of a file.
func (s *Signatures) read(name, text string, own bool) error {
	r := &reader{Signatures: s, name: name, own: own}
	for line := range strings.Lines(text) {
		r.line++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := r.add(line); err != nil {
			return err
		}
	}
	return r.finish()
}

// errorf returns an error in the current line.
func (r *reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// add reads a line.
func (r *reader) add(line string) error {
	if id, ok := strings.CutPrefix(line, "["); ok {
		id, ok = strings.CutSuffix(id, "]")
		if !ok || id == "" || strings.ContainsAny(id, " \t[]") {
			return r.errorf("expected the name of a signature in brackets, such as [my-model], found %s", wording.Quote(line))
		}
		return r.begin(id)
	}
	word, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	rest = strings.TrimSpace(rest)
	if r.now == nil {
		return r.errorf("expected [NAME], which begins a signature, found %s", wording.Quote(word))
	}
	if rest == "" {
		return r.errorf("%s has no value", wording.Quote(word))
	}
	if v, ok := verbs[word]; ok {
		c, err := r.condition(v, word, rest)
		if err != nil {
			return err
		}
		r.now.conditions = append(r.now.conditions, c)
		return nil
	}
	return r.describe(word, rest)
}

// begin begins a signature.
func (r *reader) begin(id string) error {
	if err := r.finish(); err != nil {
		return err
	}
	if was := r.byID[id]; was != nil {
		if was.own == r.own {
			return r.errorf("signature %s is in line %d, too", wording.Quote(id), was.line)
		}
		return r.errorf("signature %s is built in: choose another name, or refine it with \"of %s\"", wording.Quote(id), id)
	}
	r.now = &Signature{ID: id, own: r.own, line: r.line}
	return nil
}

// finish ends a signature.
func (r *reader) finish() error {
	s := r.now
	if s == nil {
		return nil
	}
	r.now = nil
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: signature %s %s", r.name, s.line, wording.Quote(s.ID), fmt.Sprintf(format, args...))
	}
	if p := s.parent; p != nil {
		const deepest = 8 // matching follows the chain
		if s.depth = p.depth + 1; s.depth > deepest {
			return fail("is the last of a chain of %d that refine each other, and the limit is %d", s.depth, deepest)
		}
		if s.Kind == "" {
			s.Kind = p.Kind
		}
		if s.Family == "" {
			s.Family = p.Family
		}
	}
	switch {
	case s.Kind == "":
		return fail("has no kind")
	case s.Family == "" && s.parent == nil:
		return fail("has no family")
	case s.fallback && s.parent != nil:
		return fail("refines another and is a fallback: only signatures that refine none can be")
	case len(s.conditions) == 0:
		return fail("has no condition, such as \"has NAME\"")
	case len(s.Versions) > 1 && s.Because == "":
		return fail("has several versions, and no line \"because\" with the reason")
	}
	if s.parent != nil {
		s.parent.children = append(s.parent.children, s)
	}
	r.list = append(r.list, s)
	if r.byID == nil {
		r.byID = make(map[string]*Signature)
	}
	r.byID[s.ID] = s
	return nil
}

// describe reads a line that is not a condition.
func (r *reader) describe(word, rest string) error {
	s := r.now
	switch word {
	case "kind":
		if s.Kind = Kind(rest); !slices.Contains(kinds, s.Kind) {
			return r.errorf("unknown kind %s; the kinds are %s", wording.Quote(rest), joined(kinds))
		}
	case "family":
		s.Family = rest
	case "version":
		s.Versions = alternatives(rest)
	case "because":
		s.Because = rest
	case "says":
		s.Says = rest
	case "source":
		s.Sources = append(s.Sources, rest)
	case "fallback":
		if s.fallback = true; rest != "yes" {
			return r.errorf("expected \"fallback yes\", found %s", wording.Quote(rest))
		}
	case "of":
		if s.parent = r.byID[rest]; s.parent == nil {
			return r.errorf("there is no signature %s above that this one could refine", wording.Quote(rest))
		}
	default:
		return r.errorf("unknown word %s; the words are of, kind, family, version, because, fallback, says, source, has, "+
			"lacks, layers, ends, metadata, config, tensors, architecture and size", wording.Quote(word))
	}
	return nil
}

// joined lists kinds.
func joined(list []Kind) string {
	words := make([]string, len(list))
	for i, k := range list {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}

// alternatives splits a text at " | ".
func alternatives(text string) []string {
	list := strings.Split(text, " | ")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// condition reads a condition.
func (r *reader) condition(v verb, word, rest string) (c condition, err error) {
	c.verb = v
	switch v {
	case has, lacks:
		for _, text := range alternatives(rest) {
			p, err := r.pattern(text)
			if err != nil {
				return c, err
			}
			c.any = append(c.any, p)
		}
		return c, nil
	case metadata, member:
		c.key, c.value, _ = strings.Cut(rest, "=")
		c.key, c.value = strings.TrimSpace(c.key), strings.TrimSpace(c.value)
		if c.key == "" || strings.HasSuffix(rest, "=") {
			return c, r.errorf("expected %s KEY or %s KEY = VALUE, found %s", word, word, wording.Quote(rest))
		}
		return c, nil
	case architecture:
		c.words = alternatives(rest)
		return c, nil
	case ends:
		if c.key = rest; strings.ContainsAny(rest, ". ") {
			return c, r.errorf("expected %s and a word without dots, found %s", word, wording.Quote(rest))
		}
		return c, nil
	}
	return c, r.count(&c, word, rest)
}

// count reads a condition with a number or a range.
func (r *reader) count(c *condition, word, rest string) error {
	fields := strings.Fields(rest)
	number := fields[len(fields)-1]
	if c.key = fields[0]; c.verb == tensors {
		if len(fields) != 1 {
			return r.errorf("expected a number of tensors, such as 2 or 1-4, found %s", wording.Quote(rest))
		}
	} else if len(fields) != 2 {
		return r.errorf("expected %s, a word and a number, found %s", word, wording.Quote(rest))
	}
	if c.verb == layers && !strings.HasSuffix(c.key, ".") {
		return r.errorf("expected a prefix with a dot at its end, such as \"layers blocks. 40\", found %s",
			wording.Quote(rest))
	}
	if c.verb == size && !slices.Contains(sizes, c.key) {
		return r.errorf("unknown size %s; the sizes are %s", wording.Quote(c.key), strings.Join(sizes, ", "))
	}
	low, high, several := strings.Cut(number, "-")
	if !several {
		high = low
	}
	var bad1, bad2 error
	c.low, bad1 = strconv.ParseInt(low, 10, 64)
	c.high, bad2 = strconv.ParseInt(high, 10, 64)
	if bad1 != nil || bad2 != nil || c.low < 0 || c.high < c.low {
		return r.errorf("expected a number such as 40, or a range such as 30-40, found %s", wording.Quote(number))
	}
	return nil
}

// pattern reads a name and a shape.
func (r *reader) pattern(text string) (p pattern, err error) {
	name, shape, shaped := strings.Cut(text, " ")
	p.name, p.absolute = strings.CutPrefix(name, "/")
	p.elements = strings.Count(p.name, ".") + 1
	if p.name == "" || strings.ContainsAny(p.name, "*|[]") {
		return p, r.errorf("expected the name of a tensor and perhaps a shape, found %s", wording.Quote(text))
	}
	p.prefix = strings.HasSuffix(p.name, ".")
	if p.prefix && (shaped || strings.Contains(p.name, "#") || p.elements > prefixElements) {
		return p, r.errorf("%s ends with a dot: a prefix has no shape, no # and at most %d words", wording.Quote(p.name),
			prefixElements-1)
	}
	if p.numbered = strings.Contains(p.name, "#"); p.numbered && string(appendNumbered(nil, p.name)) != p.name {
		return p, r.errorf("%s has # and another number: replace each number by #, or none", wording.Quote(p.name))
	}
	if !shaped {
		return p, nil
	}
	inner, ok1 := strings.CutPrefix(strings.TrimSpace(shape), "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok1 || !ok2 {
		return p, r.errorf("expected a shape such as [320, *] after the name, found %s", wording.Quote(shape))
	}
	p.shape = []int64{}
	if strings.TrimSpace(inner) == "" { // a scalar
		return p, nil
	}
	for _, word := range strings.Split(inner, ",") {
		word = strings.TrimSpace(word)
		n, err := strconv.ParseInt(word, 10, 64)
		if word == "*" {
			n, err = anyDim, nil
		}
		if err != nil || n < anyDim || n < 0 && word != "*" {
			return p, r.errorf("expected a number or * in a shape, found %s", wording.Quote(word))
		}
		p.shape = append(p.shape, n)
	}
	return p, nil
}
