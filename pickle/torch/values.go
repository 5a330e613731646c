// Plain values of a checkpoint as JSON.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
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

// mostValues returns the maximum size of the JSON text. Shared lists can expand beyond any memory.
func (f *file) mostValues() int64 {
	const least, factor, most = 1 << 20, 4, 64 << 20
	return min(least+factor*f.described(), most)
}

// values writes the JSON text for a value.
func (f *file) values(w *walker, top pickle.Value) error {
	m := &valueWriter{walker: w, values: new(Values), most: f.mostValues()}
	f.Values = m.values
	switch text, plain := tree.Plain(top, m.most); {
	case plain:
		m.text = text
	case m.holds(top):
		if err := m.enter(top, 0); err != nil {
			return err
		}
	case !m.isTensor(top):
		m.leftOut(tree.Child{}, tree.WhatIs(top))
	}
	for len(m.stack) > 0 {
		in := &m.stack[len(m.stack)-1]
		if in.next == len(in.children) {
			m.leave()
			continue
		}
		c := in.children[in.next]
		in.next++
		m.Parts++
		if err := m.value(in, c); err != nil {
			return err
		}
		switch {
		case int64(len(m.text)) > m.most:
			return exceeds("the plain values exceed %s of JSON", wording.Count(m.most, "byte"))
		case len(m.stack) > tree.MostDepth:
			return exceeds("values are nested more than %d deep", tree.MostDepth)
		}
		if err := m.Enough(); err != nil {
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
	most   int64 // bytes of text
	stack  []level
	open   int // children of the levels
}

// A level is an object or array that is being written.
type level struct {
	v        pickle.Value
	children []tree.Child
	next     int
	begin    int             // offset in the text, including its name
	members  int             // members written
	kept     int             // members that are not placeholders
	names    map[string]bool // of an object; nil for an array
}

// value writes one value of a level, or omits it.
func (m *valueWriter) value(in *level, c tree.Child) error {
	text, plain := tree.Plain(c.V, m.most)
	switch {
	case c.Odd != "":
		m.leftOut(c, "a value with "+c.Odd+" as key")
	case in.names[c.Name]:
		m.leftOut(c, "a value whose key equals another one as a string")
	case plain:
		m.begin(in, c)
		m.text = append(m.text, text...)
		in.kept++
	case m.isTensor(c.V):
		m.stand(in)
	case m.holds(c.V) && c.Name != "_metadata": // of a state_dict: see visit
		begin := len(m.text)
		m.begin(in, c)
		return m.enter(c.V, begin)
	default:
		m.other(c)
		m.stand(in)
	}
	return nil
}

// other records a value that is not plain.
func (m *valueWriter) other(c tree.Child) {
	switch {
	case c.Name == "_metadata":
	case c.V.Kind() == pickle.KindStr:
		m.leftOut(c, "a str with invalid Unicode")
	default:
		m.leftOut(c, tree.WhatIs(c.V))
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
	return ok && tree.IsSequence(c)
}

// begin writes the separator and name of a member.
func (m *valueWriter) begin(in *level, c tree.Child) {
	if in.members++; in.members > 1 {
		m.text = append(m.text, ',')
	}
	if in.names != nil {
		in.names[c.Name] = true
		m.text = append(tree.AppendString(m.text, c.Name), ':')
	}
}

// stand writes a placeholder for an omitted value in an array, to keep the indexes of the others.
func (m *valueWriter) stand(in *level) {
	if in.names == nil {
		m.begin(in, tree.Child{})
		m.text = append(m.text, "null"...)
	}
}

// enter starts a container whose name starts at begin.
func (m *valueWriter) enter(v pickle.Value, begin int) error {
	children, err := m.Within(v, m.open)
	if err != nil {
		return err
	}
	m.open += len(children)
	l := level{v: v, begin: begin, children: children}
	if isObject(v) {
		m.text, l.names = append(m.text, '{'), make(map[string]bool)
	} else {
		m.text = append(m.text, '[')
	}
	m.stack = append(m.stack, l)
	return nil
}

// leave ends a container, or removes it if it has only placeholders.
func (m *valueWriter) leave() {
	l := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	m.open -= len(l.children)
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
func (m *valueWriter) leftOut(c tree.Child, what string) {
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
			names = append(names, l.children[l.next-1].Name)
		}
	}
	name := c.Name
	if c.Odd != "" {
		name = "(" + c.Odd + ")"
	}
	path := strings.Join(append(names, name), ".")
	const most = 1 << 10 // bytes
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	*list = append(*list, Skipped{Path: path, What: what, Values: 1})
}
