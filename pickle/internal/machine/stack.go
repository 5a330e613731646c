// The stack, with its MARKs.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// push puts a value on the stack.
func (m *Machine) push(r heap.Ref) { m.stack = append(m.stack, r) }

// AddUnknown returns a value that a broken program would have had.
func (m *Machine) AddUnknown() heap.Ref { return m.Add(heap.Node{}) }

// pop takes a value off the stack, but none that is below the last MARK.
func (m *Machine) pop() heap.Ref {
	n := len(m.stack) - 1
	if n < m.fence {
		m.underflow()
		return m.AddUnknown()
	}
	r := m.stack[n]
	m.stack = m.stack[:n]
	return r
}

// top returns the value on top of the stack.
func (m *Machine) top() (heap.Ref, bool) {
	if n := len(m.stack) - 1; n >= m.fence {
		return m.stack[n], true
	}
	m.underflow()
	return heap.Unknown, false
}

// underflow notes that the stack, or what of it is above the last MARK, is empty.
func (m *Machine) underflow() {
	m.Fail(Underflow, "the %s at %d takes more than is on the stack", m.Token.Code, m.Token.Off)
}

// popMark takes all that is above the last MARK, and the MARK, off the stack. The
// slice is valid until the next push.
func (m *Machine) popMark() []heap.Ref {
	n := len(m.marks) - 1
	if n < 0 {
		m.Fail(Underflow, "the %s at %d needs a MARK, and there is none", m.Token.Code, m.Token.Off)
		return nil
	}
	base := m.marks[n]
	m.marks = m.marks[:n]
	m.fence = 0
	if n > 0 {
		m.fence = m.marks[n-1]
	}
	items := m.stack[base:]
	m.stack = m.stack[:base]
	return items
}

// again puts a value on the stack that is already somewhere.
func (m *Machine) again(r heap.Ref) {
	switch n := m.At(r); n.Kind {
	case heap.KindTuple, heap.KindList, heap.KindDict, heap.KindSet, heap.KindFrozenSet, heap.KindCall:
		if n.N > 0 {
			m.reused++
		}
	}
	m.push(r)
}

// Depth returns how many values and MARKs are on the stack.
func (m *Machine) Depth() int { return len(m.stack) + len(m.marks) }

// Open returns how many MARKs are open.
func (m *Machine) Open() int { return len(m.marks) }

// Top returns the value on top of the stack, whatever is around it, and false if
// there is none.
func (m *Machine) Top() (heap.Ref, bool) {
	if n := len(m.stack) - 1; n >= 0 {
		return m.stack[n], true
	}
	return heap.Unknown, false
}

// Memoized returns how many entries the memo has.
func (m *Machine) Memoized() int { return m.memo.live }
