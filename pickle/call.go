// Checks of calls and of changes to their results.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// Call checks a call. If the call only looks up a constant name, Call returns the value of that name.
func (m *judge) Call(r, callee, args, kwargs heap.Ref) (named heap.Ref) {
	n := m.At(callee)
	switch n.Kind {
	case heap.KindGlobal:
		g := m.NameOf(n).(*global)
		g.Called = true
		m.found.watch(g.standing())
		named = m.checkUse(g, args)
		m.checkKwargs(g, kwargs)
		if g.use == names.Encode {
			m.sniffEncoded(r, args)
		}
		m.found.called(m, g, args)
		return named
	case heap.KindCall, heap.KindPersistent:
		m.danger(RuleComputedCall, "%s at %d calls the result of a %s", m.Token.Code, m.Token.Off, n.Kind)
		m.checkDunderStrings(args)
	case heap.KindUnknown:
		m.danger(RuleComputedCall, "%s at %d calls an unknown value", m.Token.Code, m.Token.Off)
	default:
		m.refuse(RuleType, "%s at %d calls a value of type %s", m.Token.Code, m.Token.Off, n.Kind)
	}
	m.found.calledOther(m, callee, args)
	return heap.Unknown
}

// Build checks a state that is set on an object.
func (m *judge) Build(object, state heap.Ref) {
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		c := m.CallAt(n.A)
		m.checkBuild(c, state)
		m.rawArray(c, state)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "BUILD at %d sets attributes of the import %s", m.Token.Off, m.summary(object))
	default:
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets the state of a value of type %s", m.Token.Off, n.Kind)
		m.checkDunderKeys(state)
	}
}

// checkBuild checks a state that is set on the result of a call.
func (m *judge) checkBuild(c *heap.Call, state heap.Ref) {
	m.checkDunderKeys(state)
	n := m.At(c.Callee)
	if n.Kind != heap.KindGlobal {
		return
	}
	g := m.NameOf(n).(*global)
	if g.Verdict == Safe && !g.use.Builds() {
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets the state of a result of %s, which has none",
			m.Token.Off, g.Label())
	}
	if g.use == names.Array && g.full == "numpy.dtype" {
		m.checkDtype(m.Value(c.Args), m.Value(state))
	}
}

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

// Append checks items that are added to an object that is not a list, set or dict.
func (m *judge) Append(object heap.Ref, as heap.Kind) {
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		m.addToResult(m.CallAt(n.A), as)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "%s at %d adds to the import %s", m.Token.Code, m.Token.Off, m.summary(object))
	default:
		m.warn(RuleMethodCall, m.Token.Off, "%s at %d adds to a value of type %s", m.Token.Code, m.Token.Off, n.Kind)
	}
}

// addToResult checks items that are added to the result of a call. Classes such as OrderedDict are filled this way; for
// other objects it calls a method.
func (m *judge) addToResult(c *heap.Call, as heap.Kind) {
	if callee := m.At(c.Callee); callee.Kind == heap.KindGlobal {
		g := m.NameOf(callee).(*global)
		if g.Verdict != Safe || as == heap.KindDict && g.use.Sets() || g.use == names.Class {
			return
		}
		m.warn(RuleMethodCall, m.Token.Off, "%s at %d calls a method of a result of %s",
			m.Token.Code, m.Token.Off, g.Label())
	}
}
