// Calls, and what is done to their results.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// Call judges a call. If it does no more than look up a constant name, it
// returns what that names.
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
		m.danger(RuleComputedCall, "the %s at %d calls what a %s gives", m.Token.Code, m.Token.Off, n.Kind)
		m.checkDunderStrings(args)
	case heap.KindUnknown:
		m.danger(RuleComputedCall, "the %s at %d calls what is not known", m.Token.Code, m.Token.Off)
	default:
		m.refuse(RuleType, "the %s at %d calls a %s", m.Token.Code, m.Token.Off, n.Kind)
	}
	m.found.calledOther(m, callee, args)
	return heap.Unknown
}

// Build judges the state that an object is given.
func (m *judge) Build(object, state heap.Ref) {
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		c := m.CallAt(n.A)
		m.checkBuild(c, state)
		m.rawArray(c, state)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "the BUILD at %d sets attributes of %s, which is imported", m.Token.Off, m.summary(object))
	default:
		m.warn(RuleBuildState, m.Token.Off, "the BUILD at %d sets the state of a %s", m.Token.Off, n.Kind)
		m.checkDunderKeys(state)
	}
}

// checkBuild judges the state that the result of a call is given.
func (m *judge) checkBuild(c *heap.Call, state heap.Ref) {
	m.checkDunderKeys(state)
	n := m.At(c.Callee)
	if n.Kind != heap.KindGlobal {
		return
	}
	g := m.NameOf(n).(*global)
	if g.Verdict == Safe && !g.use.Builds() {
		m.warn(RuleBuildState, m.Token.Off, "the BUILD at %d sets the state of what %s makes, which has none", m.Token.Off, g.Label())
	}
	if g.use == names.Array && g.full == "numpy.dtype" {
		m.checkDtype(m.Value(c.Args), m.Value(state))
	}
}

// checkDunderKeys judges the names that a state sets: those of a dict, and of the
// two dicts of a tuple, of which the second sets even what a class forbids.
func (m *judge) checkDunderKeys(state heap.Ref) {
	v := m.Value(state)
	if v.Kind() == heap.KindTuple && v.Len() == 2 {
		m.checkDunderKeys1(v.Item(0))
		v = v.Item(1)
	}
	m.checkDunderKeys1(v)
}

// checkDunderKeys1 judges the keys of one dict. A key too long to be looked at is
// taken for one.
func (m *judge) checkDunderKeys1(v heap.Value) {
	for key := range m.look(v).Pairs() {
		if s, ok := key.Str(); ok && isDunder(s) || !ok && key.Kind() == heap.KindStr {
			m.danger(RuleDunderState, "the %s at %d sets %s", m.Token.Code, m.Token.Off, m.summary(key.Ref))
			return
		}
	}
}

// isDunder is whether a name begins and ends with two underscores.
func isDunder(s string) bool {
	return len(s) > 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

// checkDunderStrings judges strings that a function may follow into the
// interpreter, as str.format follows "{0.__class__}".
func (m *judge) checkDunderStrings(args heap.Ref) {
	for arg := range m.look(m.Value(args)).Items() {
		if s, ok := arg.Str(); ok && strings.Contains(s, "__") {
			m.danger(RuleDunderString, "the %s at %d gives %s to what it calls", m.Token.Code, m.Token.Off, m.summary(arg.Ref))
			return
		}
	}
}

// Append judges items that are added to what is no list, set or dict.
func (m *judge) Append(object heap.Ref, as heap.Kind) {
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		m.addToResult(m.CallAt(n.A), as)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "the %s at %d adds to %s, which is imported", m.Token.Code, m.Token.Off, m.summary(object))
	default:
		m.warn(RuleMethodCall, m.Token.Off, "the %s at %d adds to a %s", m.Token.Code, m.Token.Off, n.Kind)
	}
}

// addToResult judges items that are added to the result of a call. That an OrderedDict is
// filled so is what it is for; of other objects it is a method that is called.
func (m *judge) addToResult(c *heap.Call, as heap.Kind) {
	if callee := m.At(c.Callee); callee.Kind == heap.KindGlobal {
		g := m.NameOf(callee).(*global)
		if g.Verdict != Safe || as == heap.KindDict && g.use.Sets() || g.use == names.Class {
			return
		}
		m.warn(RuleMethodCall, m.Token.Off, "the %s at %d calls a method of what %s makes", m.Token.Code, m.Token.Off, g.Label())
	}
}
