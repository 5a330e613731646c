// Handlers: calls, and what is done to their results.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// reduce is REDUCE: a callable and a tuple. The loader in Python takes any
// sequence for the tuple, the one in C refuses it.
func (m *Machine) reduce() {
	args, callee := m.pop(), m.pop()
	if !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "the REDUCE at %d calls with a %s, which is no tuple", m.Token.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObj is NEWOBJ: the same, and calls __new__ of the class.
func (m *Machine) newObj() {
	args, callee := m.pop(), m.pop()
	if !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "the NEWOBJ at %d calls with a %s, which is no tuple", m.Token.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObjEx is NEWOBJ_EX: the same, with arguments by name.
func (m *Machine) newObjEx() {
	kwargs, args, callee := m.pop(), m.pop(), m.pop()
	if !m.Is(kwargs, heap.KindDict) || !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "the NEWOBJ_EX at %d calls with a %s and a %s, which are not a tuple and a dict", m.Token.Off, m.At(args).Kind, m.At(kwargs).Kind)
	}
	m.call(callee, args, kwargs)
}

// inst is INST: two lines name what is called with what is above the MARK.
func (m *Machine) inst() {
	args := m.AddTuple(heap.KindTuple, m.popMark())
	m.global()
	m.call(m.pop(), args, heap.Unknown)
}

// obj is OBJ: the first value above the MARK is called with the others.
func (m *Machine) obj() {
	items := m.popMark()
	if len(items) == 0 {
		m.underflow()
		m.push(m.AddUnknown())
		return
	}
	callee := items[0]
	m.call(callee, m.AddTuple(heap.KindTuple, items[1:]), heap.Unknown)
}

// call writes down a call, and pushes its result.
func (m *Machine) call(callee, args, kwargs heap.Ref) {
	callee = m.throughSource(callee)
	n := heap.Node{Kind: heap.KindCall, N: 1, A: m.AddCall(heap.Call{Off: m.Token.Off, Callee: callee, Args: args, Kwargs: kwargs, Op: m.Token.Code})}
	n.Hold(m.At(args))
	r := m.Add(n)
	m.checkDepth(r)
	if named := m.judge.Call(r, callee, args, kwargs); named != heap.Unknown {
		r = named
	}
	m.push(r)
}

// build is BUILD: sets the state of the object below it on the stack.
func (m *Machine) build() {
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
	case heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
	default:
		if state != heap.None {
			m.refuse(TypeError, "the BUILD at %d sets the state of a %s", m.Token.Off, n.Kind)
		}
		return
	}
	m.judge.Build(object, state)
}

// appendItems is APPEND and APPENDS: adds to the list on the stack, or calls
// extend or append of what else is there.
func (m *Machine) appendItems(items []heap.Ref) {
	m.addTo(items, heap.KindList)
}

// addItems is ADDITEMS: adds to the set on the stack, or calls add.
func (m *Machine) addItems() {
	items := m.popMark()
	m.addTo(items, heap.KindSet)
	m.checkHashable(items, 1)
}

// setItems is SETITEM and SETITEMS: sets entries of the dict on the stack, or of
// what else is there.
func (m *Machine) setItems(items []heap.Ref) {
	items = m.pairs(items)
	m.addTo(items, heap.KindDict)
	m.checkHashable(items, 2)
}

// addTo adds items to what is on top of the stack, which should be of a kind: if
// it is not, loaders call a method of it, or fail.
func (m *Machine) addTo(items []heap.Ref, want heap.Kind) {
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
		m.FillResult(n, items, want == heap.KindDict)
		m.judge.Append(target, want)
	case heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
		m.judge.Append(target, want)
	default:
		m.refuse(TypeError, "the %s at %d adds to a %s, which is no %s", m.Token.Code, m.Token.Off, n.Kind, want)
	}
}
