// Package glob matches tensor names against patterns. Names are words between dots:
//
//	**       any characters
//	*        any characters except a dot
//	?        one character except a dot
//	[a-z]    one of these characters; [^a-z] and [!a-z] any other except a dot
//	[0-23]   a number from 0 to 23, as in folded layers
//	\*       a literal character
//
// [CompilePath] does the same for paths, which are words between slashes. There, "**/" matches any
// number of folders.
//
// A pattern matches a whole name. Matching takes time proportional to the lengths of name and
// pattern.
package glob

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	source string
	parts  []part
	sep    byte // separator: '.' or '/'
}

// A part is a piece of a pattern.
type part struct {
	kind kind
	text string // for literal
	in   []span // ranges for class; one range for number
	not  bool   // for class: inverted
}

type kind int

const (
	literal kind = iota
	word         // *
	all          // **
	folders      // **/ at the start of a path or after a slash
	one          // ?
	class        // [a-z]
	number       // [0-23]
)

// A span is a closed range of characters or numbers.
type span struct{ lo, hi int64 }

func (p *part) has(v int64) bool {
	for _, s := range p.in {
		if s.lo <= v && v <= s.hi {
			return true
		}
	}
	return false
}

// String returns the source of the pattern.
func (p *Pattern) String() string { return p.source }

// Match reports whether the pattern matches all of name.
//
// It processes the parts once, with the set of offsets that each part can end at. It does not
// backtrack.
func (p *Pattern) Match(name string) bool {
	const usual = 256 // bytes; enough for usual names, on the stack
	var a, b [usual]bool
	var from, to []bool
	if n := len(name) + 1; n <= usual {
		from, to = a[:n], b[:n]
	} else {
		from, to = make([]bool, n), make([]bool, n)
	}
	from[0] = true
	for i := range p.parts {
		clear(to)
		if !p.parts[i].step(name, p.sep, from, to) {
			return false
		}
		from, to = to, from
	}
	return from[len(name)]
}

// step marks in to the offsets where the part can end if it begins at an offset in from. It
// returns false if there are none.
func (p *part) step(name string, sep byte, from, to []bool) (any bool) {
	for i := 0; i < len(from); i++ {
		if !from[i] {
			continue
		}
		switch p.kind {
		case folders:
			// The part can begin only after a slash.
			to[i] = true
			for j := i; j < len(name); j++ {
				to[j+1] = to[j+1] || name[j] == sep
			}
			return true
		case word, all:
			// All offsets of characters up to the next dot, or to the end, are reachable.
			for {
				to[i] = true
				if i == len(name) || p.kind == word && name[i] == sep {
					break
				}
				_, n := utf8.DecodeRuneInString(name[i:])
				i += n
			}
			any = true
		default:
			if n := p.length(name, sep, i); n >= 0 {
				to[i+n] = true
				any = true
			}
		}
	}
	return any
}

// length returns how many bytes the part matches at offset i, or -1. It must have a fixed length.
func (p *part) length(name string, sep byte, i int) int {
	if p.kind == literal {
		if strings.HasPrefix(name[i:], p.text) {
			return len(p.text)
		}
		return -1
	}
	if p.kind == number {
		return p.digits(name, i)
	}
	r, n := utf8.DecodeRuneInString(name[i:])
	switch {
	case n == 0, p.kind == one && r == rune(sep), p.kind == class && p.has(int64(r)) == p.not, p.not && r == rune(sep):
		return -1
	}
	return n
}

// digits returns the length of the number at offset i if it is in the range. Numbers have no
// leading zeros.
func (p *part) digits(name string, i int) int {
	const most = 18 // digits; fits an int64
	isDigit := func(i int) bool { return i < len(name) && '0' <= name[i] && name[i] <= '9' }
	if i > 0 && isDigit(i-1) {
		return -1
	}
	n, v := 0, int64(0)
	for ; isDigit(i + n); n++ {
		if n == most {
			return -1
		}
		v = 10*v + int64(name[i+n]-'0')
	}
	if n == 0 || n > 1 && name[i] == '0' || !p.has(v) {
		return -1
	}
	return n
}

// A Filter selects names. The zero Filter selects all.
type Filter struct {
	Include []*Pattern // one of them has to match, unless there are none
	Exclude []*Pattern // none of them may match
}

// Has reports whether the filter selects a name.
func (f *Filter) Has(name string) bool {
	matches := func(p *Pattern) bool { return p.Match(name) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, matches)) && !slices.ContainsFunc(f.Exclude, matches)
}

// Compile parses a pattern for names.
func Compile(pattern string) (*Pattern, error) { return compile(pattern, '.') }

// CompilePath parses a pattern for paths, whose separator is the slash.
func CompilePath(pattern string) (*Pattern, error) {
	p, err := compile(pattern, '/')
	if err != nil {
		return nil, err
	}
	for i := range p.parts[:max(len(p.parts)-1, 0)] {
		part, next := &p.parts[i], &p.parts[i+1]
		// A slash consumed by "**/" leaves an empty literal.
		begins := i == 0 || p.parts[i-1].kind == literal &&
			(p.parts[i-1].text == "" || strings.HasSuffix(p.parts[i-1].text, "/"))
		if begins && part.kind == all && next.kind == literal && strings.HasPrefix(next.text, "/") {
			part.kind, next.text = folders, next.text[1:]
		}
	}
	return p, nil
}

func compile(pattern string, sep byte) (*Pattern, error) {
	parts, err := parse(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return &Pattern{pattern, parts, sep}, nil
}
