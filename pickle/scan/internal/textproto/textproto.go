// Protocol buffers as text.

// Package textproto encodes the text form of protocol buffers as bytes: one reader serves both
// forms.
package textproto

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A Message describes a message by the names of its fields. Fields that it does not name are
// skipped.
type Message map[string]Field

// A Field is a field of a message.
type Field struct {
	Num     int
	Message Message           // nil for numbers and strings
	Values  map[string]uint64 // the names of an enumeration that matter
	JSON    Form              // of a value that is no message
}

// A Form is how a value is written in JSON.
type Form byte

// The forms.
const (
	Text   Form = iota
	Base64      // bytes
	Number      // a number, or a string of digits
)

// An open message collects the fields of a message whose end is not reached yet.
type open struct {
	Field
	end     byte
	skipped bool   // the message does not matter
	list    bool   // in the list of the values of a field
	field   *Field // the field whose values follow, nil if its name does
	bytes   []byte
}

// deepest is the maximum nesting of messages, as in other parsers.
const deepest = 100

// Encode returns the bytes of the message that a text describes. Its errors are about the text.
func Encode(text []byte, message Message) ([]byte, error) {
	p := parser{text: text, stack: []open{{Field: Field{Message: message}}}}
	for {
		c := p.peek()
		if c == 0 && p.at >= len(p.text) && len(p.stack) == 1 && p.top().field == nil {
			return p.stack[0].bytes, nil
		}
		if err := p.step(c); err != nil {
			return nil, err
		}
	}
}

func (p *parser) top() *open { return &p.stack[len(p.stack)-1] }

// step reads the next name, value, or end of a message or list, which begins with c.
func (p *parser) step(c byte) error {
	top := p.top()
	switch {
	case c == ';' || c == ',':
		p.at++
	case top.list && c == ']':
		p.at++
		top.list, top.field = false, nil
	case top.field == nil && len(p.stack) > 1 && c == top.end:
		p.at++
		inner := *top
		p.stack = p.stack[:len(p.stack)-1]
		if !inner.skipped {
			p.top().add(inner.Num, inner.bytes)
		}
		if !p.top().list {
			p.top().field = nil
		}
	case top.field == nil:
		return p.name()
	case !top.list && c == '[':
		p.at++
		top.list = true
	case c == '{' || c == '<':
		if len(p.stack) == deepest {
			return p.fail("messages are nested deeper than %d levels", deepest)
		}
		p.at++
		f := *top.field
		p.stack = append(p.stack, open{Field: f, end: c + 2, skipped: top.skipped || f.Num == 0 || f.Message == nil})
	default:
		if err := p.value(top); err != nil {
			return err
		}
		if !top.list {
			top.field = nil
		}
	}
	return nil
}

// add appends a field that is a message or string.
func (o *open) add(num int, value []byte) {
	const bytes = 2 // the type
	o.bytes = binary.AppendUvarint(o.bytes, uint64(num)<<3|bytes)
	o.bytes = binary.AppendUvarint(o.bytes, uint64(len(value)))
	o.bytes = append(o.bytes, value...)
}

// Begins reports whether a text, by its first bytes, may be a message whose fields have the given
// names.
func Begins(head []byte, fields []string) bool {
	for {
		head = bytes.TrimLeft(head, " \t\r\n\v\f")
		if len(head) == 0 || head[0] != '#' {
			break
		}
		_, head, _ = bytes.Cut(head, []byte("\n")) // a comment
	}
	end := bytes.IndexFunc(head, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	return end < 0 || slices.Contains(fields, string(head[:end]))
}
