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

// checkDunderKeys1 checks the keys of one dict. A key that is too long to read counts as a dunder name.
func (m *judge) checkDunderKeys1(v heap.Value) {
	for key := range m.look(v).Pairs() {
		if s, ok := key.Str(); ok && isDunder(s) || !ok && key.Kind() == heap.KindStr {
			m.danger(RuleDunderState, "%s at %d sets %s", m.Token.Code, m.Token.Off, m.summary(key.Ref))
			return
		}
	}
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
