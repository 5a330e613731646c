// JSON: the form for programs, exact and safe to print.

// Package encode writes the forms for programs: JSON, CSV and Markdown tables.
//
// JSON is streamed member by member, so that a listing of a million tensors is
// never held in memory. Strings are escaped so that a terminal can show them.
package encode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Write writes v as one JSON text and a line end: on one line, or indented
// for a terminal.
func Write(w io.Writer, s typeset.Style, v any) error {
	b, err := Marshal(v)
	if err != nil {
		return err
	}
	// A terminal gets it indented, all else one line: jq and grep take lines.
	if s.Terminal() {
		return Pretty(w, s, b)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Marshal returns v as JSON. Unlike json.Marshal it leaves <, > and & alone,
// which are common in names and harm nobody here.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return shown(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// shown escapes what a JSON text has in its strings that does not show, or
// would make a terminal show something else: package json escapes only what
// JSON demands. The text means the same afterwards.
func shown(text []byte) []byte {
	for i := range text {
		if text[i] >= 0x7f {
			return escapeJSON(text)
		}
	}
	return text
}

// escapeJSON is shown for a text that is not all ASCII. It may go by characters,
// and ignore where strings begin: outside of strings JSON is ASCII.
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

// A Member is one member of an object that is written piece by piece. Its value
// may be an object or an array that is, too: []member or elements; or a func() any
// that returns it once it is its turn.
type Member struct {
	Name  string
	Value any
}

// M returns a member.
func M(name string, value any) Member { return Member{name, value} }

// Elements are those of an array that is written piece by piece. What is said of
// the value of a member goes for each.
type Elements func(yield func(any) bool)

// Object writes an object in the order of its members. It holds one
// element of an array at most, unless it has to indent.
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

// writeMembers writes an object member by member.
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
	return w.WriteByte('}')
}

// writeArray writes an array element by element.
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

// separate writes what comes before the i-th element.
func separate(w *bufio.Writer, i int, open byte) {
	if i > 0 {
		open = ','
	}
	w.WriteByte(open)
}

// writeValue writes a value: piece by piece, or one that is small enough to be
// held.
func writeValue(w *bufio.Writer, v any) error {
	switch v := v.(type) {
	case []Member:
		return writeMembers(w, v)
	case Elements:
		return writeArray(w, v)
	case func() any:
		return writeValue(w, v())
	}
	b, err := Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
