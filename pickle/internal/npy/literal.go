// A parser for the Python literals in headers. It evaluates nothing.

package npy

import (
	"fmt"
	"strings"
)

// A literalKind is the type of a literal.
type literalKind uint8

const (
	noLiteral    literalKind = iota
	otherLiteral             // None, True and False
	stringLiteral
	intLiteral
	tupleLiteral
	listLiteral
	dictLiteral
)

// A literal is a parsed Python literal.
type literal struct {
	kind    literalKind
	text    string    // of a string or a name
	escaped bool      // a string has backslashes, which are kept
	number  int64     // of an int
	items   []literal // of a tuple or list; for a dict, alternating keys and values
}

// hasKeys returns an error if the keys of a dict are not those in want, each once and without escapes.
func (l literal) hasKeys(want ...string) error {
	if len(l.items) != 2*len(want) {
		return fmt.Errorf("expected %d keys, found %d", len(want), len(l.items)/2)
	}
	for _, key := range want {
		if l.get(key).kind == noLiteral {
			return fmt.Errorf("the header has no key %q", key)
		}
	}
	return nil
}

// get returns the last value for a key of a dict, as Python does.
func (l literal) get(key string) literal {
	var found literal
	if l.kind != dictLiteral {
		return found
	}
	for i := 0; i+1 < len(l.items); i += 2 {
		if k := l.items[i]; k.kind == stringLiteral && k.text == key && !k.escaped {
			found = l.items[i+1]
		}
	}
	return found
}

// mostDepth is the maximum nesting depth. Nested dtypes are rare.
const mostDepth = 32

// parseLiteral parses a single literal. It supports what headers contain: strings without prefixes, numbers, tuples,
// lists, dicts, and True, False and None. Everything else is an error.
func parseLiteral(text []byte) (literal, error) {
	p := &literalParser{text: string(text)}
	l, err := p.value(0)
	if err == nil && p.next() != 0 {
		err = p.unexpected("the end")
	}
	return l, err
}

// A literalParser is a text and a position.
type literalParser struct {
	text string
	pos  int
}

// next skips white space and returns the next byte, 0 at the end.
func (p *literalParser) next() byte {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n\x00", p.text[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// unexpected returns the error for a missing token.
func (p *literalParser) unexpected(what string) error {
	const most = 20
	rest := p.text[p.pos:]
	return fmt.Errorf("expected %[2]s at byte %[1]d, found %[3]q", p.pos, what, rest[:min(len(rest), most)])
}

// value parses a value.
func (p *literalParser) value(depth int) (literal, error) {
	if depth > mostDepth {
		return literal{}, fmt.Errorf("the header is nested more than %d deep", mostDepth)
	}
	switch c := p.next(); {
	case c == '\'' || c == '"':
		return p.str()
	case c == '(':
		return p.sequence(tupleLiteral, ')', depth)
	case c == '[':
		return p.sequence(listLiteral, ']', depth)
	case c == '{':
		return p.sequence(dictLiteral, '}', depth)
	case '0' <= c && c <= '9' || c == '-':
		return p.number()
	}
	for _, name := range [...]string{"None", "True", "False"} {
		if strings.HasPrefix(p.text[p.pos:], name) {
			p.pos += len(name)
			return literal{kind: otherLiteral, text: name}, nil
		}
	}
	return literal{}, p.unexpected("a value")
}

// sequence parses a tuple, list or dict up to its closing byte.
func (p *literalParser) sequence(kind literalKind, closing byte, depth int) (literal, error) {
	l := literal{kind: kind}
	p.pos++
	commas := 0
	for {
		if p.next() == closing {
			p.pos++
			// A value in parentheses is a tuple only with a comma.
			if kind == tupleLiteral && len(l.items) == 1 && commas == 0 {
				return l.items[0], nil
			}
			return l, nil
		}
		if commas*itemsOf(kind) < len(l.items) {
			return l, p.unexpected("a comma or the end of the sequence")
		}
		for i := range itemsOf(kind) {
			if i == 1 {
				if p.next() != ':' {
					return l, p.unexpected("a colon")
				}
				p.pos++
			}
			item, err := p.value(depth + 1)
			if err != nil {
				return l, err
			}
			l.items = append(l.items, item)
		}
		if p.next() == ',' {
			p.pos++
			commas++
		}
	}
}

// itemsOf returns the number of values in an item of a sequence.
func itemsOf(kind literalKind) int {
	if kind == dictLiteral {
		return 2
	}
	return 1
}

// number parses an int, and skips a float.
func (p *literalParser) number() (literal, error) {
	begin := p.pos
	if p.text[p.pos] == '-' {
		p.pos++
	}
	n, digits := int64(0), 0
	for ; p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9'; p.pos++ {
		if n > (1<<63-10)/10 {
			return literal{}, p.unexpected("a 63-bit number")
		}
		n, digits = 10*n+int64(p.text[p.pos]-'0'), digits+1
	}
	switch {
	case digits == 0:
		return literal{}, p.unexpected("a digit")
	case p.pos < len(p.text) && p.text[p.pos] == 'L': // a Python 2 long
		p.pos++
	}
	if p.text[begin] == '-' {
		n = -n
	}
	return literal{kind: intLiteral, number: n}, nil
}

// str parses a quoted string.
func (p *literalParser) str() (literal, error) {
	quote := p.text[p.pos]
	p.pos++
	var b strings.Builder
	escaped := false
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == quote:
			return literal{kind: stringLiteral, text: b.String(), escaped: escaped}, nil
		case c == '\n':
			return literal{}, p.unexpected("the end of a string")
		case c == '\\' && p.pos < len(p.text):
			// Only the names of fields have escapes, and which names those are does not matter.
			escaped = true
			b.WriteByte(c)
			c = p.text[p.pos]
			p.pos++
		}
		b.WriteByte(c)
	}
	return literal{}, p.unexpected("the end of a string")
}
