// Configurations: JSON that is read for the objects in it that name a class.

package scan

import (
	"github.com/weightools/safetensors/internal/jsonscan"
)

// A config is a configuration that is being read. It builds no tree: an object is
// judged when its end is reached, or that of what can be read. Nesting is bounded by
// jsonscan.MaxDepth.
type config struct {
	*part
	jsonscan.Scanner
	text    []byte
	off     int64 // of the text in the part
	classes int   // members that name one
	depth   int   // of the value that is being read
	tooDeep bool  // there are values deeper than jsonscan reads
}

func newConfig(p *part, text []byte, off int64) *config {
	return &config{part: p, Scanner: jsonscan.New(text), text: text, off: off}
}

// An object is what matters of one in a configuration.
type object struct {
	module, class, registered, config string
	begin                             int64
}

// value reads a value, and judges the objects in it.
func (c *config) value() error {
	kind := c.Next()
	if c.depth == jsonscan.MaxDepth && (kind == jsonscan.Object || kind == jsonscan.Array) {
		c.tooDeep = true
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
			if err := c.value(); err != nil {
				return err
			}
		}
	}
	_, _, err := c.Skip()
	return err
}

// object reads an object and judges it.
func (c *config) object() error {
	o := object{begin: c.off + int64(c.Pos())}
	err := c.members(&o)
	c.judge(&o)
	return err
}

// members reads the members of an object.
func (c *config) members(o *object) error {
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
			c.find(RuleBadConfig, at, "the configuration says %s twice in one object: readers take one or the other", quoted(name))
		}
		seen[name] = true
		if c.Next() != jsonscan.String {
			if err := c.value(); err != nil {
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
func (c *config) set(o *object, name, value string) {
	switch name {
	case "module":
		o.module = value
	case "class_name":
		o.class = value
		c.classes++
	case "registered_name":
		o.registered = value
	case "config":
		o.config = value
	}
}

// str returns a string of the text, unescaped.
func (c *config) str(s jsonscan.Str) string {
	b := c.text[s.Begin:s.End]
	if !s.Escaped {
		return string(b)
	}
	return string(jsonscan.Unescape(append([]byte(nil), b...)))
}

// lenient makes JSON of what Python's package json takes for it beside that: words for
// numbers that are none, numbers of any size, and halves of surrogate pairs. All of
// these change to others that are as long, as nothing here depends on them.
func lenient(text []byte) []byte {
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
