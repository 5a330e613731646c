// Checks for names with double underscores, and for states that a class executes.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/attributes"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// checkDunderKeys checks the attribute names in a state.
func (m *judge) checkDunderKeys(state heap.Ref) {
	for key := range attributes.DunderKeys(m.Value(state), m.look) {
		m.danger(RuleDunderState, "%s at %d sets %s", m.Token.Code, m.Token.Off, m.summary(key.Ref))
	}
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

// checkEvaluated checks the state of an object of a class that executes a part of it.
func (m *judge) checkEvaluated(g *global, state heap.Value) {
	for code := range attributes.Executed(g.full, state, m.look) {
		m.danger(RuleDunderString, "BUILD at %d sets %s, which SciPy executes", m.Token.Off, m.summary(code.Ref))
	}
}
