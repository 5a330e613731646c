// Plain values of a checkpoint as JSON.

// Package plain writes the plain values of a checkpoint as JSON.
package plain

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// A Writer writes the text for one value.
type Writer struct {
	*tree.Walker

	// MostText is the maximum size of the text in bytes. Shared lists can expand beyond any memory.
	MostText int64

	// LeftOut records a value that is neither plain nor a tensor.
	LeftOut func(path func() string, what string)

	text  []byte
	stack []level
	open  int // children of the levels
}

// JSON returns the text for a value.
func (m *Writer) JSON(top pickle.Value) ([]byte, error) {
	switch text, plain := tree.Plain(top, m.MostText); {
	case plain:
		m.text = text
	case m.holds(top):
		if err := m.enter(top, 0); err != nil {
			return nil, err
		}
	case !m.IsTensor(top):
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
			return nil, err
		}
		switch {
		case int64(len(m.text)) > m.MostText:
			return nil, m.Exceed(true, "the plain values exceed %s of JSON", wording.Count(m.MostText, "byte"))
		case len(m.stack) > tree.MostDepth:
			return nil, m.TooDeep()
		}
		if err := m.Enough(); err != nil {
			return nil, err
		}
	}
	if len(m.text) == 0 {
		m.text = append(m.text, "null"...)
	}
	return m.text, nil
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
func (m *Writer) value(in *level, c tree.Child) error {
	text, plain := tree.Plain(c.V, m.MostText)
	switch {
	case c.Odd != "":
		m.leftOut(c, "a value with "+c.Odd+" as key")
	case in.names[c.Name]:
		m.leftOut(c, "a value whose key equals another one as a string")
	case plain:
		m.begin(in, c)
		m.text = append(m.text, text...)
		in.kept++
	case m.IsTensor(c.V):
		m.stand(in)
	case m.holds(c.V) && c.Name != "_metadata": // versions of module code, in a state_dict
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
func (m *Writer) other(c tree.Child) {
	switch {
	case c.Name == "_metadata":
	case c.V.Kind() == pickle.KindStr:
		m.leftOut(c, "a str with invalid Unicode")
	default:
		m.leftOut(c, tree.WhatIs(c.V))
	}
}

// holds reports whether a value is a container that is written as such, and not an enclosing one.
func (m *Writer) holds(v pickle.Value) bool {
	for i := range m.stack {
		if m.stack[i].v == v {
			return false
		}
	}
	return tree.IsDict(v) || isArray(v)
}

// isArray reports whether a value becomes an array.
func isArray(v pickle.Value) bool {
	switch v.Kind() {
	case pickle.KindList, pickle.KindTuple, pickle.KindSet, pickle.KindFrozenSet:
		return true
	}
	c, ok := v.Called()
	return ok && tree.IsSequence(c)
}

// begin writes the separator and name of a member.
func (m *Writer) begin(in *level, c tree.Child) {
	if in.members++; in.members > 1 {
		m.text = append(m.text, ',')
	}
	if in.names != nil {
		in.names[c.Name] = true
		m.text = append(tree.AppendString(m.text, c.Name), ':')
	}
}

// stand writes a placeholder for an omitted value in an array, to keep the indexes of the others.
func (m *Writer) stand(in *level) {
	if in.names == nil {
		m.begin(in, tree.Child{})
		m.text = append(m.text, "null"...)
	}
}

// enter starts a container whose name starts at begin.
func (m *Writer) enter(v pickle.Value, begin int) error {
	children, err := m.Within(v, m.open)
	if err != nil {
		return err
	}
	m.open += len(children)
	l := level{v: v, begin: begin, children: children}
	if tree.IsDict(v) {
		m.text, l.names = append(m.text, '{'), make(map[string]bool)
	} else {
		m.text = append(m.text, '[')
	}
	m.stack = append(m.stack, l)
	return nil
}

// leave ends a container, or removes it if it has only placeholders.
func (m *Writer) leave() {
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
func (m *Writer) leftOut(c tree.Child, what string) {
	m.LeftOut(func() string { return m.path(c) }, what)
}

// path returns the path of a value in the level that is being written.
func (m *Writer) path(c tree.Child) string {
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
	return path
}
