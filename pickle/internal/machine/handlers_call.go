// Handlers of calls, and of changes to their results.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// reduce is REDUCE: it calls with a tuple. The Python loader accepts any sequence; the C loader does not.
func (m *Machine) reduce() {
	args, callee := m.pop(), m.pop()
	if !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "REDUCE at %d has arguments of type %s instead of tuple", m.Token.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObj is NEWOBJ: it calls __new__ of a class with a tuple.
func (m *Machine) newObj() {
	args, callee := m.pop(), m.pop()
	if !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "NEWOBJ at %d has arguments of type %s instead of tuple", m.Token.Off, m.At(args).Kind)
	}
	m.call(callee, args, heap.Unknown)
}

// newObjEx is NEWOBJ_EX: like newObj, with keyword arguments.
func (m *Machine) newObjEx() {
	kwargs, args, callee := m.pop(), m.pop(), m.pop()
	if !m.Is(kwargs, heap.KindDict) || !m.Is(args, heap.KindTuple) {
		m.refuse(TypeError, "NEWOBJ_EX at %d has arguments of types %s and %s instead of tuple and dict",
			m.Token.Off, m.At(args).Kind, m.At(kwargs).Kind)
	}
	m.call(callee, args, kwargs)
}

// inst is INST: it calls the name in two lines with everything above the MARK.
func (m *Machine) inst() {
	args := m.AddTuple(heap.KindTuple, m.popMark())
	m.global()
	m.call(m.pop(), args, heap.Unknown)
}

// obj is OBJ: it calls the first value above the MARK with the others.
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

// call records a call and pushes its result.
func (m *Machine) call(callee, args, kwargs heap.Ref) {
	callee = m.throughSource(callee)
	call := heap.Call{Off: m.Token.Off, Callee: callee, Args: args, Kwargs: kwargs, Op: m.Token.Code}
	n := heap.Node{Kind: heap.KindCall, N: 1, A: m.AddCall(call)}
	n.Hold(m.At(args))
	r := m.Add(n)
	m.checkDepth(r)
	if named := m.judge.Call(r, callee, args, kwargs); named != heap.Unknown {
		r = named
	}
	m.push(r)
}

// build is BUILD: it sets the state of the object below the top.
func (m *Machine) build() {
	state := m.pop()
	object, ok := m.top()
	if !ok {
		return
	}
	n := m.At(object)
	switch n.Kind {
	case heap.KindCall:
		m.judge.Build(object, state) // before the state counts, to tell a first one from another
		c := m.CallAt(n.A)
		c.State, c.Built = state, true
		n.Hold(m.At(state))
		m.checkDepth(object)
		return
	case heap.KindGlobal, heap.KindPersistent, heap.KindUnknown:
	default:
		if state != heap.None {
			m.refuse(TypeError, "BUILD at %d sets the state of a value of type %s", m.Token.Off, n.Kind)
		}
		return
	}
	m.judge.Build(object, state)
}

// appendItems is APPEND and APPENDS: it appends to a list, or calls extend or append of another object.
func (m *Machine) appendItems(items []heap.Ref) {
	m.addTo(items, heap.KindList)
}

// addItems is ADDITEMS: it adds to a set, or calls add of another object.
func (m *Machine) addItems() {
	items := m.popMark()
	m.addTo(items, heap.KindSet)
	m.checkHashable(items, 1)
}

// setItems is SETITEM and SETITEMS: it sets items of a dict or of another object.
func (m *Machine) setItems(items []heap.Ref) {
	items = m.pairs(items)
	m.addTo(items, heap.KindDict)
	m.checkHashable(items, 2)
}

// addTo adds items to the top value. If that is not of the expected kind, loaders call one of its methods, or fail.
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
		m.refuse(TypeError, "%s at %d adds to a value of type %s instead of %s",
			m.Token.Code, m.Token.Off, n.Kind, want)
	}
}
