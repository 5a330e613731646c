// Patterns of tensor names.

// Package glob matches tensor names, which are words between dots, against
// patterns like those of file names:
//
//   - any characters but a dot
//     **       any characters
//     ?        one character but a dot
//     [a-z]    one of these characters, [^a-z] and [!a-z] one of all others but a dot
//     [0-23]   a number from 0 to 23, as folded layers are listed
//     \*       a character that means itself
//
// [CompilePath] does the same for paths, which are words between slashes. There
// "**/" is any number of folders, and none.
//
// A pattern matches a whole name. Matching takes time in proportion to the
// length of the name and that of the pattern, whatever they are.
package glob

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Pattern is a pattern, ready to match names. It may be used by any number of
// goroutines at once.
type Pattern struct {
	source string
	parts  []part
	sep    byte // what is between words: '.' or '/'
}

// A part is a piece of a pattern.
type part struct {
	kind kind
	text string // of literal
	in   []span // of class, and the one of number
	not  bool   // of class: one of all others
}

type kind int

const (
	literal kind = iota
	word         // *
	all          // **
	folders      // **/ at the start of a path or after a slash: none, or any
	one          // ?
	class        // [a-z]
	number       // [0-23]
)

// A span is a range of characters or of numbers, with both its ends.
type span struct{ lo, hi int64 }

func (p *part) has(v int64) bool {
	for _, s := range p.in {
		if s.lo <= v && v <= s.hi {
			return true
		}
	}
	return false
}

// String returns the pattern as it was given to Compile.
func (p *Pattern) String() string { return p.source }

// Match says whether the pattern matches all of name.
//
// It goes through the parts once, with all the offsets of name that the parts so
// far can lead to: so no pattern makes it go back, and none is slow.
func (p *Pattern) Match(name string) bool {
	const usual = 256 // bytes: room on the stack for all names of honest models
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

// step marks in to where the part can end that begins at an offset marked in
// from. It returns false if it can end nowhere.
func (p *part) step(name string, sep byte, from, to []bool) (any bool) {
	for i := 0; i < len(from); i++ {
		if !from[i] {
			continue
		}
		switch p.kind {
		case folders:
			// It can begin after a slash alone, so that what begins further on can
			// end nowhere else.
			to[i] = true
			for j := i; j < len(name); j++ {
				to[j+1] = to[j+1] || name[j] == sep
			}
			return true
		case word, all:
			// Offsets from here on are marked up to the next dot, or all of
			// them. What is marked within needs no look of its own.
			for ; ; i++ {
				to[i] = true
				if i == len(name) || p.kind == word && name[i] == sep {
					break
				}
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

// length returns how many bytes of name the part matches at offset i, or -1 if
// it does not. It is not for parts that match more than one length.
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

// digits returns the length of the number at offset i of name, if it is one of
// those meant. A number is all the digits that stand together, without zeros in
// front.
func (p *part) digits(name string, i int) int {
	const most = 18 // digits: fits an int64
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

// Compile reads a pattern of names.
func Compile(pattern string) (*Pattern, error) { return compile(pattern, '.') }

// CompilePath reads a pattern of paths, in which slashes are what dots are in
// names: "*" stops at them, and "**" does not.
func CompilePath(pattern string) (*Pattern, error) {
	p, err := compile(pattern, '/')
	if err != nil {
		return nil, err
	}
	for i := range p.parts[:max(len(p.parts)-1, 0)] {
		part, next := &p.parts[i], &p.parts[i+1]
		// What is left of a slash, by another "**/", is an empty text.
		begins := i == 0 || p.parts[i-1].kind == literal && (p.parts[i-1].text == "" || strings.HasSuffix(p.parts[i-1].text, "/"))
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
