// Plain values: what a checkpoint has besides tensors, as JSON.

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

// Values are the numbers, texts, lists and dicts of a checkpoint.
type Values struct {
	// JSON is one value, on one line. Dicts are objects, and their keys texts, in their
	// order. Lists, tuples and sets are arrays. NaN and the infinities are the texts "NaN",
	// "Infinity" and "-Infinity", and other floats have a point or an exponent, so that
	// they can be told from ints. What is no plain value is left out of an object, and is
	// null in an array; an object or array of nothing but such is left out itself.
	JSON []byte

	// LeftOut are the values that are not plain, and no tensors either: objects, names,
	// bytes, keys that are no texts and no ints.
	LeftOut []Skipped
}

// mostValues is how many bytes the text of values may have: a list that is in another
// twice, and that in another twice, soon has more than there is memory.
const mostValues = 64 << 20

// values makes the text of all that is in a value.
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
			return refuse("its plain values take more than %s as JSON", wording.Count(int64(mostValues), "byte"))
		case len(m.stack) > mostDepth:
			return refuse("its values are more than %d deep in each other", mostDepth)
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

// A valueWriter makes the text of values.
type valueWriter struct {
	*walker
	values *Values
	text   []byte
	stack  []level
}

// A level is an object or an array that is being written.
type level struct {
	v        pickle.Value
	children []child
	next     int
	begin    int             // where in the text it begins, with its name
	members  int             // how many were written
	kept     int             // how many of them do not stand for others
	names    map[string]bool // of an object; nil for an array
}

// value writes one value of a level, or leaves it out.
func (m *valueWriter) value(in *level, c child) {
	text, plain := m.plain(c.v)
	switch {
	case c.odd != "":
		m.leftOut(c, "a value whose key is "+c.odd)
	case in.names[c.name]:
		m.leftOut(c, "a value whose key is that of another, as text")
	case plain:
		m.begin(in, c)
		m.text = append(m.text, text...)
		in.kept++
	case m.isTensor(c.v):
		m.stand(in)
	case m.holds(c.v) && c.name != "_metadata": // of state_dict: see visit
		begin := len(m.text)
		m.begin(in, c)
		m.enter(c.v, begin)
	default:
		m.other(c)
		m.stand(in)
	}
}

// other takes note of a value that is not plain.
func (m *valueWriter) other(c child) {
	switch {
	case c.name == "_metadata":
	case c.v.Kind() == pickle.KindStr:
		m.leftOut(c, "a str that is no Unicode text")
	default:
		m.leftOut(c, whatIs(c.v))
	}
}

// holds says whether a value is a container that is written as such, and not one of those
// that it is in.
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

// begin writes what comes before a member of a level.
func (m *valueWriter) begin(in *level, c child) {
	if in.members++; in.members > 1 {
		m.text = append(m.text, ',')
	}
	if in.names != nil {
		in.names[c.name] = true
		m.text = append(appendJSON(m.text, c.name), ':')
	}
}

// stand writes what stands for a value that is left out: in an array, others would move up.
func (m *valueWriter) stand(in *level) {
	if in.names == nil {
		m.begin(in, child{})
		m.text = append(m.text, "null"...)
	}
}

// enter begins with a container, whose name was written from begin on.
func (m *valueWriter) enter(v pickle.Value, begin int) {
	l := level{v: v, begin: begin, children: m.children(v)}
	if isObject(v) {
		m.text, l.names = append(m.text, '{'), make(map[string]bool)
	} else {
		m.text = append(m.text, '[')
	}
	m.stack = append(m.stack, l)
}

// leave ends with a container, or takes it back if there is nothing in it that was to be
// kept, although there was something.
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

// leftOut takes note of a value that is not plain.
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

// plain returns the text of a number, a str, a bool or None.
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
			b := make([]byte, r.Size()) // which is in the pickle, or in memory already
			if _, err := r.ReadAt(b, 0); len(b) == 0 || err == nil && utf8.Valid(b) {
				return appendJSON(nil, string(b)), true
			}
		}
	}
	return nil, false
}

// appendFloat appends a float, which is never one that could be an int.
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

// appendJSON appends a text as JSON.
func appendJSON(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // which strings always are
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
