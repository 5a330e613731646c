// Configurations: JSON that is read for the objects in it that name a class.

// Package config reads configurations of models as Python does: in any encoding, in JSON
// that is none, and for the objects in it that name a class.
package config

import (
	"bytes"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// A Reader is a configuration that is being read. It builds no tree: an object is
// told of when its end is reached, or that of what can be read. Nesting is bounded by
// jsonscan.MaxDepth.
type Reader struct {
	jsonscan.Scanner
	Classes int  // members that name one
	TooDeep bool // there are values deeper than jsonscan reads

	text  []byte
	off   int64 // of the text in what holds it
	visit Visitor
	depth int // of the value that is being read
}

// NewReader returns a reader of a configuration that is a text, at off of something.
func NewReader(text []byte, off int64, v Visitor) *Reader {
	return &Reader{Scanner: jsonscan.New(text), text: text, off: off, visit: v}
}

// A Visitor is told of what is in a configuration, as it is read.
type Visitor interface {
	Object(*Object)
	// Twice is told of a member, at an offset, that the object has already.
	Twice(name string, at int64)
}

// An Object is what matters of one in a configuration.
type Object struct {
	Module, Class, Registered, Config string
	Begin                             int64
}

// Value reads a value, and visits the objects in it.
func (c *Reader) Value() error {
	kind := c.Next()
	if c.depth == jsonscan.MaxDepth && (kind == jsonscan.Object || kind == jsonscan.Array) {
		c.TooDeep = true
	}
	c.depth++
	defer func() { c.depth-- }()
	switch kind {
	case jsonscan.Object:
		return c.object()
	case jsonscan.Array:
		if err := c.Open(jsonscan.Array); err != nil {
			return err
		}
		for first := true; ; first = false {
			more, err := c.More(jsonscan.Array, first)
			if err != nil || !more {
				return err
			}
			if err := c.Value(); err != nil {
				return err
			}
		}
	}
	_, _, err := c.Skip()
	return err
}

// Object reads an object and visits it.
func (c *Reader) object() error {
	o := Object{Begin: c.off + int64(c.Pos())}
	err := c.members(&o)
	c.visit.Object(&o)
	return err
}

// members reads the members of an object.
func (c *Reader) members(o *Object) error {
	seen := make(map[string]bool)
	if err := c.Open(jsonscan.Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := c.More(jsonscan.Object, first)
		if err != nil || !more {
			return err
		}
		at := c.off + int64(c.Pos())
		key, err := c.Key()
		if err != nil {
			return err
		}
		name := c.str(key)
		if seen[name] {
			c.visit.Twice(name, at)
		}
		seen[name] = true
		if c.Next() != jsonscan.String {
			if err := c.Value(); err != nil {
				return err
			}
			continue
		}
		value, err := c.Str()
		if err != nil {
			return err
		}
		c.set(o, name, c.str(value))
	}
}

// set takes note of a member that is a string.
func (c *Reader) set(o *Object, name, value string) {
	switch name {
	case "module":
		o.Module = value
	case "class_name":
		o.Class = value
		c.Classes++
	case "registered_name":
		o.Registered = value
	case "config":
		o.Config = value
	}
}

// str returns a string of the text, unescaped.
func (c *Reader) str(s jsonscan.Str) string {
	b := c.text[s.Begin:s.End]
	if !s.Escaped {
		return string(b)
	}
	return string(jsonscan.Unescape(append([]byte(nil), b...)))
}

// Lenient makes JSON of what Python's package json takes for it beside that: words for
// numbers that are none, numbers of any size, and halves of surrogate pairs. All of
// these change to others that are as long, as nothing here depends on them.
func Lenient(text []byte) []byte {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			if i++; i+2 < len(text) && text[i] == 'u' && text[i+1]|0x20 == 'd' && text[i+2] >= '8' {
				text[i+1] = '0' // \ud834, half of a clef, is \u0834 then, which is a letter
			}
		case c == '"':
			inString = !inString
		case !inString && (c == '-' || '0' <= c && c <= '9' || c == 'N' || c == 'I'):
			text[i] = '0'
			for ; i+1 < len(text) && inNumber(text[i+1]); i++ {
				text[i+1] = ' '
			}
		}
	}
	return text
}

// inNumber says whether a number, or a word for one, goes on with c.
func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '+'
}

// Begins says whether b, which has a brace first, may begin a JSON object with a
// member: a string and a colon follow, as far as b goes.
func Begins(b []byte) bool {
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	if len(b) > 0 && b[0] != '"' {
		return false
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c < ' ':
			return false
		case c == '\\':
			i++
		case c == '"':
			b = bytes.TrimLeft(b[i+1:], " \t\r\n")
			return len(b) == 0 || b[0] == ':'
		}
	}
	return true
}
