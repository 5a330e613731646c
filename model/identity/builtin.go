// Built-in signatures.

package identity

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.txt
var data embed.FS

// Builtin returns the built-in signatures.
var Builtin = sync.OnceValue(func() *Signatures {
	s := new(Signatures)
	files, err := data.ReadDir("data")
	for _, f := range files {
		text, failed := data.ReadFile("data/" + f.Name())
		if err = failed; err == nil {
			err = s.read(f.Name(), string(text), false)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		panic(err) // TestBuiltin reads them
	}
	s.index()
	return s
})

// index finds the names by which signatures are found.
func (s *Signatures) index() {
	s.anchors, s.rooted = make(map[string][]anchor), nil
	for _, one := range s.list {
		if one.parent != nil {
			continue
		}
		c := one.anchor()
		if c == nil {
			s.rooted = append(s.rooted, one)
			continue
		}
		for i := range c.any {
			p := &c.any[i]
			if p.prefix {
				continue
			}
			numbered := string(appendNumbered(nil, p.name))
			s.anchors[numbered] = append(s.anchors[numbered], anchor{one, p})
			s.longest = max(s.longest, strings.Count(numbered, ".")+1)
		}
	}
}

// anchor returns the condition by which a signature is found: the first names that it requires.
func (s *Signature) anchor() *condition {
	for i := range s.conditions {
		c := &s.conditions[i]
		if c.verb == has && slices.ContainsFunc(c.any, func(p pattern) bool { return !p.prefix }) {
			return c
		}
	}
	return nil
}

// appendNumbered appends a name with # for each number between dots and underscores.
func appendNumbered(b []byte, name string) []byte {
	for i := 0; i < len(name); {
		begin := i
		for i < len(name) && name[i] != '.' && name[i] != '_' {
			i++
		}
		if word := name[begin:i]; isNumber(word) {
			b = append(b, '#')
		} else {
			b = append(b, word...)
		}
		if i < len(name) {
			b = append(b, name[i])
			i++
		}
	}
	return b
}

// isNumber reports whether a word consists of digits.
func isNumber(word string) bool {
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return word != ""
}
