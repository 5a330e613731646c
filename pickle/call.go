// Checks of calls and of changes to their results.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Call checks a call. If the call only looks up a constant name, Call returns the value of that name.
func (m *judge) Call(r, callee, args, kwargs heap.Ref) (named heap.Ref) {
	n := m.At(callee)
	switch n.Kind {
	case heap.KindGlobal:
		g := m.NameOf(n).(*global)
		g.Called = true
		m.found.watch(g.callVerdict())
		if g.use == names.Instance && m.Token.Code != opcode.NewObj && m.Token.Code != opcode.NewObjEx {
			m.wrong(RuleCallArgs, g, m.summary(args)+", which runs its constructor")
		}
		named = m.checkUse(g, args)
		m.checkKwargs(g, kwargs)
		m.callPositional(g, m.Value(args))
		switch g.use {
		case names.Encode:
			m.sniffEncoded(r, args)
		case names.Array:
			m.callNumPy(g, r)
		}
		m.addCall(g, args)
		return named
	case heap.KindCall, heap.KindPersistent:
		m.danger(RuleComputedCall, "%s at %d calls the result of a %s", m.Token.Code, m.Token.Off, n.Kind)
		m.checkDunderStrings(args)
	case heap.KindUnknown:
		m.danger(RuleComputedCall, "%s at %d calls an unknown value", m.Token.Code, m.Token.Off)
	default:
		m.refuse(RuleType, "%s at %d calls a value of type %s", m.Token.Code, m.Token.Off, n.Kind)
	}
	m.addOtherCall(callee, args)
	return heap.Unknown
}

// Build checks a state that is set on an object.
func (m *judge) Build(object, state heap.Ref) {
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		c := m.CallAt(n.A)
		m.checkBuild(c, object, state)
		m.buildPositional(object, m.Value(state), c.Built)
		m.rawArray(c, object, state)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "BUILD at %d sets attributes of the import %s", m.Token.Off, m.summary(object))
	default:
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets the state of a value of type %s", m.Token.Off, n.Kind)
		m.checkDunderKeys(state)
	}
}

// checkBuild checks a state that is set on the result of a call.
func (m *judge) checkBuild(c *heap.Call, object, state heap.Ref) {
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
	m.checkEvaluated(g, m.Value(state))
	m.buildNumPy(g, object, m.Value(state), c.Built)
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
		fills := g.use == names.Class || g.use == names.Instance || g.use == names.Container
		if g.Verdict != Safe || fills || as == heap.KindDict && g.use.Sets() {
			return
		}
		m.warn(RuleMethodCall, m.Token.Off, "%s at %d calls a method of a result of %s",
			m.Token.Code, m.Token.Off, g.Label())
	}
}

// addCall adds a call of an import. Findings about it were recorded since watch.
func (m *judge) addCall(g *global, args heap.Ref) {
	f := m.found
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: g.callVerdict(), Rule: f.because}
	if f.because != "" {
		c.Verdict = max(c.Verdict, f.worse)
	}
	if c.Rule == "" && c.Verdict != Safe {
		c.Rule = g.Rule
	}
	ours := f.names[g.key] == g // and not an import of the previous stream, through the memo
	if c.Verdict == Safe && ours && g.listed > 0 {
		f.calls[g.listed-1].Count++
		return
	}
	if m.keepCall(c, g.Label, args) && c.Verdict == Safe && ours {
		g.listed = len(f.calls)
	}
}

// addOtherCall adds a call of a value that is not an import.
func (m *judge) addOtherCall(callee, args heap.Ref) {
	c := Call{Count: 1, Offset: m.Token.Off, Opcode: Opcode(m.Token.Code), Verdict: Suspicious, Rule: RuleType}
	if k := m.At(callee).Kind; (k == heap.KindCall || k == heap.KindPersistent || k == heap.KindUnknown) && !m.Failed {
		c.Verdict, c.Rule = Dangerous, RuleComputedCall
	}
	m.keepCall(c, func() string { return m.summary(callee) }, args)
}

// keepCall adds a call if there is room, and only then formats it.
func (m *judge) keepCall(c Call, label func() string, args heap.Ref) bool {
	f := m.found
	if f.listFull(len(f.calls), c.Verdict) {
		f.omitted++
		return false
	}
	c.Callee, c.Args = label(), m.summary(args)
	f.bytes += 400 + 2*int64(len(c.Callee)+len(c.Args))
	f.calls = append(f.calls, c)
	return true
}
