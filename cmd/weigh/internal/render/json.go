// JSON: the form for programs, exact and safe to print.

package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// writeJSON writes v as one JSON text and a line end: on one line, or indented
// for a terminal.
func writeJSON(w io.Writer, s typeset.Style, v any) error {
	b, err := marshal(v)
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

// marshal returns v as JSON. Unlike json.Marshal it leaves <, > and & alone,
// which are common in names and harm nobody here.
func marshal(v any) ([]byte, error) {
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

// A known is a number that may be unknown, which -1 stands for; it is null in
// JSON.
type known int64

const unknown known = -1

// MarshalJSON implements json.Marshaler.
func (k known) MarshalJSON() ([]byte, error) {
	if k < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(k), 10), nil
}

// dims is a shape. Its numbers are unsigned, for the sake of tensors without
// elements: see safetensors.TensorInfo. It is null in JSON if it is nil, which is
// a shape that could not be read; that of a scalar is [].
type dims []int64

// MarshalJSON implements json.Marshaler.
func (d dims) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	b := []byte{'['}
	for i, n := range d {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return append(b, ']'), nil
}

// pair is the two ends of a run of bytes. It is null if they are not known.
type pair struct {
	begin, end int64
	known      bool
}

// MarshalJSON implements json.Marshaler.
func (p pair) MarshalJSON() ([]byte, error) {
	if !p.known {
		return []byte("null"), nil
	}
	b := strconv.AppendInt([]byte{'['}, p.begin, 10)
	b = strconv.AppendInt(append(b, ','), p.end, 10)
	return append(b, ']'), nil
}

// A member is one member of an object that is written piece by piece. Its value
// may be an object or an array that is, too: []member or elements; or a func() any
// that returns it once it is its turn.
type member struct {
	name  string
	value any
}

// newMember returns a member.
func newMember(name string, value any) member { return member{name, value} }

// elements are those of an array that is written piece by piece. What is said of
// the value of a member goes for each.
type elements func(yield func(any) bool)

// writeObject writes an object in the order of its members. It holds one
// element of an array at most, unless it has to indent.
func writeObject(w io.Writer, s typeset.Style, members []member) error {
	if s.Terminal() {
		var b bytes.Buffer
		if err := writeObject(&b, typeset.Style{}, members); err != nil {
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
func writeMembers(w *bufio.Writer, members []member) error {
	for i, m := range members {
		separate(w, i, '{')
		if err := writeValue(w, m.name); err != nil {
			return err
		}
		w.WriteByte(':')
		if err := writeValue(w, m.value); err != nil {
			return err
		}
	}
	return w.WriteByte('}')
}

// writeArray writes an array element by element.
func writeArray(w *bufio.Writer, list elements) error {
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
	case []member:
		return writeMembers(w, v)
	case elements:
		return writeArray(w, v)
	case func() any:
		return writeValue(w, v())
	}
	b, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
