// A reader of JSON that reports the objects with a class name.

// Package config reads model configurations as Python does: in any Unicode encoding and with
// Python's extensions of JSON. It reports the objects that have a class name.
package config

import (
	"bytes"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// A Reader reads a configuration without building a tree: it reports each object at its end,
// or where the text becomes invalid. Nesting is limited to jsonscan.MaxDepth.
type Reader struct {
	jsonscan.Scanner
	Classes int  // members that name a class
	TooDeep bool // whether values are nested deeper than jsonscan.MaxDepth

	text  []byte
	off   int64 // offset of the text in its file
	visit Visitor
	depth int               // of the current value
	last  map[string]string // strings of the object that was read last
}

// NewReader returns a reader of a configuration whose text is at offset off of a file.
func NewReader(text []byte, off int64, v Visitor) *Reader {
	return &Reader{Scanner: jsonscan.New(text), text: text, off: off, visit: v}
}

// A Visitor receives the contents of a configuration.
type Visitor interface {
	// Object is called for an object at its end, or where the text becomes invalid.
	// Object is called at the end of each object.
	Object(*Object)
	// Twice is called for a duplicate member at an offset.
	Twice(name string, at int64)
}

// An Object holds the members of a JSON object that name a class.
type Object struct {
	Module, Class, Registered string
	Config                    string // the configuration, if it is a string
	Configured                bool   // whether there is a configuration
	Begin                     int64
	// Args are some of the members of the configuration that are strings, if it is an
	// object.
	Args map[string]string

	own map[string]string // some of the members that are strings
}

// Own returns those members of the object itself that are strings and can name a file or function.
func (o *Object) Own() map[string]string { return o.own }

// isArg reports whether a member of an object can name a file or function.
func isArg(name string) bool {
	switch name {
	case "function", "cls_symbol", "attr_name", "vocabulary", "filepath", "node_def", "spec_name",
		"__module__", "__class__", "__loader__", "module_path":
		return true
	}
	return false
}

// Value reads a value and visits the objects in it.
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
	c.last = o.own
	return err
}

// members reads the members of an object.
func (c *Reader) members(o *Object) error {
	seen := make(map[string]bool)
	return c.Members(func(key jsonscan.Str, begin int) error {
		name := c.str(key)
		if seen[name] {
			c.visit.Twice(name, c.off+int64(begin))
		}
		seen[name] = true
		o.Configured = o.Configured || name == "config"
		if c.Next() != jsonscan.String {
			object := c.Next() == jsonscan.Object
			err := c.Value()
			if name == "config" && object {
				o.Args = c.last
			}
			return err
		}
		value, err := c.Str()
		if err != nil {
			return err
		}
		c.set(o, name, c.str(value))
		return nil
	})
}

// set records a member that is a string.
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
	if isArg(name) {
		if o.own == nil {
			o.own = make(map[string]string)
		}
		o.own[name] = value
	}
}

// str returns an unescaped string.
func (c *Reader) str(s jsonscan.Str) string {
	b := c.text[s.Begin:s.End]
	if !s.Escaped {
		return string(b)
	}
	return string(jsonscan.Unescape(append([]byte(nil), b...)))
}

// Lenient replaces, in place, what only Python accepts as JSON: NaN and Infinity, numbers of
// any size, and unpaired surrogates. The replacements have the same length and other values,
// which do not matter here.
func Lenient(text []byte) []byte {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			if i++; i+2 < len(text) && text[i] == 'u' && text[i+1]|0x20 == 'd' && text[i+2] >= '8' {
				text[i+1] = '0' // the surrogate \ud834 becomes the letter \u0834
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

// inNumber reports whether c may continue a number, NaN or Infinity.
func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '+'
}

// Begins reports whether b, which begins with a brace, may be the beginning of a JSON object
// with at least one member.
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
