// JSON output.

// Package encode writes the forms for programs: JSON, CSV and Markdown tables.
//
// JSON is streamed member by member, so a listing of a million tensors is
// never held in memory. Strings are escaped, so a terminal can show them.
package encode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Write writes v as JSON and a newline: on one line, or indented on a terminal.
func Write(w io.Writer, s typeset.Style, v any) error {
	b, err := Marshal(v)
	if err != nil {
		return err
	}
	// jq and grep read lines.
	if s.Terminal() {
		return Pretty(w, s, b)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Marshal returns v as JSON that is safe to print. Unlike json.Marshal it does not escape <, > and
// &.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return shown(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// shown escapes invisible characters, which json.Marshal leaves in strings.
func shown(text []byte) []byte {
	for i := range text {
		if text[i] >= 0x7f {
			return escapeJSON(text)
		}
	}
	return text
}

// escapeJSON implements shown for text that is not ASCII. It ignores where strings begin: outside
// of strings, JSON is ASCII.
func escapeJSON(text []byte) []byte {
	b := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r < 0x7f || typeset.Shows(r):
			b = append(b, text[:n]...)
		default:
			b = typeset.AppendEscape(b, r)
		}
		text = text[n:]
	}
	return b
}

// A Member is a member of an object that is streamed. Its value may be streamed, too, as []Member,
// Elements or a slice, or be computed when it is written, as a func() any.
type Member struct {
	Name  string
	Value any
}

// M returns a Member.
func M(name string, value any) Member { return Member{name, value} }

// Elements iterates over the elements of a streamed array. They may be streamed, too.
type Elements func(yield func(any) bool)

// Object streams an object, in the order of its members, and a newline. It holds at most one
// element in memory, unless the output is a terminal and has to be indented.
func Object(w io.Writer, s typeset.Style, members []Member) error {
	if s.Terminal() {
		var b bytes.Buffer
		if err := Object(&b, typeset.Style{}, members); err != nil {
			return err
		}
		return Pretty(w, s, b.Bytes())
	}
	var err error
	flushed := typeset.Buffered(w, func(w *bufio.Writer) {
		err = writeMembers(w, members)
		w.WriteByte('\n')
	})
	return errors.Join(err, flushed)
}

func writeMembers(w *bufio.Writer, members []Member) error {
	for i, m := range members {
		separate(w, i, '{')
		if err := writeValue(w, m.Name); err != nil {
			return err
		}
		w.WriteByte(':')
		if err := writeValue(w, m.Value); err != nil {
			return err
		}
	}
	if len(members) == 0 {
		w.WriteByte('{')
	}
	return w.WriteByte('}')
}

func writeArray(w *bufio.Writer, list Elements) error {
	n := 0
	for v := range list {
		separate(w, n, '[')
		if err := writeValue(w, v); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		w.WriteByte('[')
	}
	return w.WriteByte(']')
}

// separate writes the separator before the i-th element, or the opening bracket.
func separate(w *bufio.Writer, i int, open byte) {
	if i > 0 {
		open = ','
	}
	w.WriteByte(open)
}

// writeValue writes a streamed or a plain value. A nil slice is an empty list.
func writeValue(w *bufio.Writer, v any) error {
	switch v := v.(type) {
	case json.Marshaler:
	case []Member:
		return writeMembers(w, v)
	case Elements:
		return writeArray(w, v)
	case func(func(any) bool):
		return writeArray(w, v)
	case func() any:
		return writeValue(w, v())
	default:
		if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
			return writeArray(w, Each(list.Len(), func(i int) any { return list.Index(i).Interface() }))
		}
	}
	b, err := Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
