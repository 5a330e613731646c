// Handlers: calls, and what is done to their results.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// reduce is REDUCE: a callable and a tuple. The loader in Python takes any
// sequence for the tuple, the one in C refuses it.
func (m *machine) reduce() {
	args, callee := m.pop(), m.pop()
	if !m.is(args, heap.KindTuple) {
		m.refuse(RuleType, "the REDUCE at %d calls with a %s, which is no tuple", m.t.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObj is NEWOBJ: the same, and calls __new__ of the class.
func (m *machine) newObj() {
	args, callee := m.pop(), m.pop()
	if !m.is(args, heap.KindTuple) {
		m.refuse(RuleType, "the NEWOBJ at %d calls with a %s, which is no tuple", m.t.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObjEx is NEWOBJ_EX: the same, with arguments by name.
func (m *machine) newObjEx() {
	kwargs, args, callee := m.pop(), m.pop(), m.pop()
	if !m.is(kwargs, heap.KindDict) || !m.is(args, heap.KindTuple) {
		m.refuse(RuleType, "the NEWOBJ_EX at %d calls with a %s and a %s, which are not a tuple and a dict", m.t.Off, m.At(args).Kind, m.At(kwargs).Kind)
	}
	m.call(callee, args, kwargs)
}

// inst is INST: two lines name what is called with what is above the MARK.
func (m *machine) inst() {
	args := m.AddTuple(heap.KindTuple, m.popMark())
	m.global()
	m.call(m.pop(), args, heap.Unknown)
}

// obj is OBJ: the first value above the MARK is called with the others.
func (m *machine) obj() {
	items := m.popMark()
	if len(items) == 0 {
		m.underflow()
		m.push(m.unknown())
		return
	}
	callee := items[0]
	m.call(callee, m.AddTuple(heap.KindTuple, items[1:]), heap.Unknown)
}

// call writes down a call, judges it, and pushes its result.
func (m *machine) call(callee, args, kwargs heap.Ref) {
	callee = m.throughSource(callee)
	n := heap.Node{Kind: heap.KindCall, N: 1, A: m.AddCall(heap.Call{Off: m.t.Off, Callee: callee, Args: args, Kwargs: kwargs, Op: m.t.Code})}
	n.Hold(m.At(args))
	r := m.Add(n)
	m.checkDepth(r)
	if named := m.judgeCall(r, callee, args, kwargs); named != heap.Unknown {
		r = named
	}
	m.push(r)
}

// throughSource returns the class of a persistent object that is one with its
// source, in old files of whole PyTorch modules, and anything else as it is.
func (m *machine) throughSource(r heap.Ref) heap.Ref {
	n := m.At(r)
	if n.Kind != heap.KindPersistent || !m.isStorageID(heap.Ref(n.A)) {
		return r
	}
	id := m.Value(heap.Ref(n.A))
	if tag, _ := id.Item(0).Str(); tag == "module" {
		return id.Item(1).Ref
	}
	return r
}

// judgeCall judges a call. If it does no more than look up a constant name, it
// returns what that names.
func (m *machine) judgeCall(r, callee, args, kwargs heap.Ref) (named heap.Ref) {
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
		m.danger(RuleComputedCall, "the %s at %d calls what a %s gives", m.t.Code, m.t.Off, n.Kind)
		m.checkDunderStrings(args)
	case heap.KindUnknown:
		m.danger(RuleComputedCall, "the %s at %d calls what is not known", m.t.Code, m.t.Off)
	default:
		m.refuse(RuleType, "the %s at %d calls a %s", m.t.Code, m.t.Off, n.Kind)
	}
	m.found.calledOther(m, callee, args)
	return heap.Unknown
}

// build is BUILD: sets the state of the object below it on the stack.
func (m *machine) build() {
	state := m.pop()
	object, ok := m.top()
	if !ok {
		return
	}
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		c := m.CallAt(n.A)
		c.State, c.Built = state, true
		n.Hold(m.At(state))
		m.checkDepth(object)
		m.checkBuild(c, state)
		m.rawArray(c, state)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "the BUILD at %d sets attributes of %s, which is imported", m.t.Off, m.summary(object))
	case heap.KindPersistent, heap.KindUnknown:
		m.warn(RuleBuildState, m.t.Off, "the BUILD at %d sets the state of a %s", m.t.Off, n.Kind)
		m.checkDunderKeys(state)
	default:
		if state != heap.None {
			m.refuse(RuleType, "the BUILD at %d sets the state of a %s", m.t.Off, n.Kind)
		}
	}
}

// checkBuild judges the state that the result of a call is given.
func (m *machine) checkBuild(c *heap.Call, state heap.Ref) {
	m.checkDunderKeys(state)
	n := m.At(c.Callee)
	if n.Kind != heap.KindGlobal {
		return
	}
	g := m.NameOf(n).(*global)
	if g.Verdict == Safe && !g.use.Builds() {
		m.warn(RuleBuildState, m.t.Off, "the BUILD at %d sets the state of what %s makes, which has none", m.t.Off, g.Label())
	}
	if g.use == names.Array && g.full == "numpy.dtype" {
		m.checkDtype(m.Value(c.Args), m.Value(state))
	}
}

// checkDunderKeys judges the names that a state sets: those of a dict, and of the
// two dicts of a tuple, of which the second sets even what a class forbids.
func (m *machine) checkDunderKeys(state heap.Ref) {
	v := m.Value(state)
	if v.Kind() == heap.KindTuple && v.Len() == 2 {
		m.checkDunderKeys1(v.Item(0))
		v = v.Item(1)
	}
	m.checkDunderKeys1(v)
}

// checkDunderKeys1 judges the keys of one dict. A key too long to be looked at is
// taken for one.
func (m *machine) checkDunderKeys1(v heap.Value) {
	for key := range m.look(v).Pairs() {
		if s, ok := key.Str(); ok && isDunder(s) || !ok && key.Kind() == heap.KindStr {
			m.danger(RuleDunderState, "the %s at %d sets %s", m.t.Code, m.t.Off, m.summary(key.Ref))
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
func (m *machine) checkDunderStrings(args heap.Ref) {
	for arg := range m.look(m.Value(args)).Items() {
		if s, ok := arg.Str(); ok && strings.Contains(s, "__") {
			m.danger(RuleDunderString, "the %s at %d gives %s to what it calls", m.t.Code, m.t.Off, m.summary(arg.Ref))
			return
		}
	}
}

// appendItems is APPEND and APPENDS: adds to the list on the stack, or calls
// extend or append of what else is there.
func (m *machine) appendItems(items []heap.Ref) {
	m.addTo(items, heap.KindList)
}

// addItems is ADDITEMS: adds to the set on the stack, or calls add.
func (m *machine) addItems() {
	items := m.popMark()
	m.addTo(items, heap.KindSet)
	m.checkHashable(items, 1)
}

// setItems is SETITEM and SETITEMS: sets entries of the dict on the stack, or of
// what else is there.
func (m *machine) setItems(items []heap.Ref) {
	items = m.pairs(items)
	m.addTo(items, heap.KindDict)
	m.checkHashable(items, 2)
}

// addTo adds items to what is on top of the stack, which should be of a kind: if
// it is not, loaders call a method of it, or fail.
func (m *machine) addTo(items []heap.Ref, want heap.Kind) {
	target, ok := m.top()
	if !ok || len(items) == 0 {
		return
	}
	n := m.At(target)
	switch n.Kind {
	case want:
		m.Fill(n, items)
		m.checkDepth(target)
	case heap.KindCall:
		m.addToResult(n, items, want)
	case heap.KindGlobal:
		m.danger(RuleBuildImport, "the %s at %d adds to %s, which is imported", m.t.Code, m.t.Off, m.summary(target))
	case heap.KindPersistent, heap.KindUnknown:
		m.warn(RuleMethodCall, m.t.Off, "the %s at %d adds to a %s", m.t.Code, m.t.Off, n.Kind)
	default:
		m.refuse(RuleType, "the %s at %d adds to a %s, which is no %s", m.t.Code, m.t.Off, n.Kind, want)
	}
}

// addToResult adds to the result of a call. That an OrderedDict is filled so is
// what it is for; of other objects it is a method that is called.
func (m *machine) addToResult(n *heap.Node, items []heap.Ref, want heap.Kind) {
	c := m.CallAt(n.A)
	m.FillResult(n, items, want == heap.KindDict)
	if callee := m.At(c.Callee); callee.Kind == heap.KindGlobal {
		g := m.NameOf(callee).(*global)
		if g.Verdict != Safe || want == heap.KindDict && g.use.Sets() || g.use == names.Class {
			return
		}
		m.warn(RuleMethodCall, m.t.Off, "the %s at %d calls a method of what %s makes", m.t.Code, m.t.Off, g.Label())
	}
}
