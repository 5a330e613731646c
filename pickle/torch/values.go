// Plain values of a checkpoint as JSON.

package torch

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// Values are the numbers, strings, lists and dicts of a checkpoint.
type Values struct {
	// JSON is one value on one line. Dicts become objects in their order, with keys converted to strings. Lists, tuples
	// and sets become arrays. NaN and infinities become the strings "NaN", "Infinity" and "-Infinity"; other floats
	// have a point or an exponent, which distinguishes them from ints. Values that are not plain are omitted from
	// objects, and are null in arrays. Objects and arrays without any plain value are omitted.
	JSON []byte

	// LeftOut lists the values that are neither plain nor tensors: objects, names, bytes, and keys that are not a str
	// or an int.
	LeftOut []Skipped
}

// mostValues is the maximum size of the JSON text. Shared lists can expand beyond any memory.
const mostValues = 64 << 20

// values writes the JSON text for a value.
func (f *file) values(w *walker, top pickle.Value) error {
	m := &valueWriter{walker: w, values: new(Values)}
	f.Values = m.values
	switch text, plain := m.plain(top); {
	case plain:
		m.text = text
	case m.holds(top):
		m.enter(top, 0)
	case !m.isTensor(top):
		m.leftOut(child{}, whatIs(top))
	}
	for len(m.stack) > 0 {
		in := &m.stack[len(m.stack)-1]
		if in.next == len(in.children) {
			m.leave()
			continue
		}
		c := in.children[in.next]
		in.next++
		m.parts++
		m.value(in, c)
		switch {
		case len(m.text) > mostValues:
			return refuse("the plain values exceed %s of JSON", wording.Count(int64(mostValues), "byte"))
		case len(m.stack) > mostDepth:
			return refuse("values are nested more than %d deep", mostDepth)
		}
		if err := m.enough(); err != nil {
			return err
		}
	}
	if len(m.text) == 0 {
		m.text = append(m.text, "null"...)
	}
	m.values.JSON = m.text
	return nil
}

// A valueWriter writes the JSON text.
type valueWriter struct {
	*walker
	values *Values
	text   []byte
	stack  []level
}

// A level is an object or array that is being written.
type level struct {
	v        pickle.Value
	children []child
	next     int
	begin    int             // offset in the text, including its name
	members  int             // members written
	kept     int             // members that are not placeholders
	names    map[string]bool // of an object; nil for an array
}

// value writes one value of a level, or omits it.
func (m *valueWriter) value(in *level, c child) {
	text, plain := m.plain(c.v)
	switch {
	case c.odd != "":
		m.leftOut(c, "a value with "+c.odd+" as key")
	case in.names[c.name]:
		m.leftOut(c, "a value whose key equals another one as a string")
	case plain:
		m.begin(in, c)
		m.text = append(m.text, text...)
		in.kept++
	case m.isTensor(c.v):
		m.stand(in)
	case m.holds(c.v) && c.name != "_metadata": // of a state_dict: see visit
		begin := len(m.text)
		m.begin(in, c)
		m.enter(c.v, begin)
	default:
		m.other(c)
		m.stand(in)
	}
}

// other records a value that is not plain.
func (m *valueWriter) other(c child) {
	switch {
	case c.name == "_metadata":
	case c.v.Kind() == pickle.KindStr:
		m.leftOut(c, "a str with invalid Unicode")
	default:
		m.leftOut(c, whatIs(c.v))
	}
}

// holds reports whether a value is a container that is written as such, and not an enclosing one.
func (m *valueWriter) holds(v pickle.Value) bool {
	for i := range m.stack {
		if m.stack[i].v == v {
			return false
		}
	}
	return isObject(v) || isArrayValue(v)
}

func isObject(v pickle.Value) bool { return v.Kind() == pickle.KindDict || isMappingValue(v) }

func isArrayValue(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet:
		return true
	}
	c, ok := v.Called()
	return ok && isSequence(c)
}

// begin writes the separator and name of a member.
func (m *valueWriter) begin(in *level, c child) {
	if in.members++; in.members > 1 {
		m.text = append(m.text, ',')
	}
	if in.names != nil {
		in.names[c.name] = true
		m.text = append(appendJSON(m.text, c.name), ':')
	}
}

// stand writes a placeholder for an omitted value in an array, to keep the indexes of the others.
func (m *valueWriter) stand(in *level) {
	if in.names == nil {
		m.begin(in, child{})
		m.text = append(m.text, "null"...)
	}
}

// enter starts a container whose name starts at begin.
func (m *valueWriter) enter(v pickle.Value, begin int) {
	l := level{v: v, begin: begin, children: m.children(v)}
	if isObject(v) {
		m.text, l.names = append(m.text, '{'), make(map[string]bool)
	} else {
		m.text = append(m.text, '[')
	}
	m.stack = append(m.stack, l)
}

// leave ends a container, or removes it if it has only placeholders.
func (m *valueWriter) leave() {
	l := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	var in *level
	if len(m.stack) > 0 {
		in = &m.stack[len(m.stack)-1]
	}
	if l.kept == 0 && len(l.children) > 0 && in != nil {
		m.text = m.text[:l.begin]
		in.members--
		m.stand(in)
		return
	}
	if l.names == nil {
		m.text = append(m.text, ']')
	} else {
		m.text = append(m.text, '}')
	}
	if in != nil {
		in.kept++
	}
}

// leftOut records a value that is not plain.
func (m *valueWriter) leftOut(c child, what string) {
	list := &m.values.LeftOut
	if len(*list) == mostSkipped {
		last := &(*list)[mostSkipped-1]
		last.Path, last.Values = "…", last.Values+1
		last.What = wording.Count(last.Values, "other value")
		return
	}
	var names []string
	for i := range m.stack {
		if l := &m.stack[i]; i < len(m.stack)-1 {
			names = append(names, l.children[l.next-1].name)
		}
	}
	name := c.name
	if c.odd != "" {
		name = "(" + c.odd + ")"
	}
	*list = append(*list, Skipped{Path: strings.Join(append(names, name), "."), What: what, Values: 1})
}

// plain returns the JSON text of a number, str, bool or None.
func (m *valueWriter) plain(v pickle.Value) (text []byte, ok bool) {
	switch v.Kind() {
	case pickle.KindNone:
		return []byte("null"), true
	case pickle.KindBool:
		b, _ := v.Bool()
		return strconv.AppendBool(nil, b), true
	case pickle.KindInt:
		if n := v.BigInt(); n != nil {
			return n.Append(nil, 10), true
		}
	case pickle.KindFloat:
		f, _ := v.Float()
		return appendFloat(nil, f), true
	case pickle.KindStr:
		if r := v.Data(); r != nil && r.Size() <= mostValues {
			b := make([]byte, r.Size()) // the pickle is at least as large
			if _, err := r.ReadAt(b, 0); len(b) == 0 || err == nil && utf8.Valid(b) {
				return appendJSON(nil, string(b)), true
			}
		}
	}
	return nil, false
}

// appendFloat appends a float in a form that differs from ints.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	begin := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	if bytes.IndexByte(b[begin:], '.') < 0 && bytes.IndexByte(b[begin:], 'e') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// appendJSON appends a string as JSON.
func appendJSON(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings cannot fail
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
