// Checks for names with double underscores.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// checkDunderKeys checks the attribute names in a state: a dict, or a tuple of two dicts, of which the second can set
// attributes that the class protects.
func (m *judge) checkDunderKeys(state heap.Ref) {
	v := m.Value(state)
	if v.Kind() == heap.KindTuple && v.Len() == 2 {
		m.checkDunderKeys1(v.Item(0))
		v = v.Item(1)
	}
	m.checkDunderKeys1(v)
}

// checkDunderKeys1 checks the keys of one dict. The attributes themselves, as a dict under the key __dict__, are checked
// in turn.
func (m *judge) checkDunderKeys1(v heap.Value) {
	for key, value := range m.look(v).Pairs() {
		if s, _ := key.Str(); s == "__dict__" && value.Kind() == heap.KindDict {
			for inner := range m.look(value).Pairs() {
				if m.setsDunder(inner) {
					return
				}
			}
		} else if m.setsDunder(key) {
			return
		}
	}
}

// setsDunder reports a key that gives access to the interpreter. A key that is too long to read counts as one.
func (m *judge) setsDunder(key heap.Value) bool {
	s, ok := key.Str()
	if ok && (!isDunder(s) || describes(s)) || !ok && key.Kind() != heap.KindStr {
		return false
	}
	m.danger(RuleDunderState, "%s at %d sets %s", m.Token.Code, m.Token.Off, m.summary(key.Ref))
	return true
}

// describes reports whether an attribute only describes an object, or belongs to Pydantic's models, and gives no access
// to the interpreter.
func describes(s string) bool {
	switch s {
	case "__doc__", "__annotations__", "__orig_class__", "__version__", "__pydantic_fields_set__",
		"__pydantic_extra__", "__pydantic_private__":
		return true
	}
	return false
}

// isDunder reports whether a name starts and ends with two underscores.
func isDunder(s string) bool {
	return len(s) > 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

// checkDunderStrings checks for strings that can give a function access to the interpreter, such as "{0.__class__}" for
// str.format.
func (m *judge) checkDunderStrings(args heap.Ref) {
	for arg := range m.look(m.Value(args)).Items() {
		if s, ok := arg.Str(); ok && strings.Contains(s, "__") {
			m.danger(RuleDunderString, "%s at %d passes %s to a function",
				m.Token.Code, m.Token.Off, m.summary(arg.Ref))
			return
		}
	}
}
