// The stack and its MARKs.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// push pushes a value.
func (m *Machine) push(r heap.Ref) { m.stack = append(m.stack, r) }

// AddUnknown returns a new unknown value, the result of an invalid instruction.
func (m *Machine) AddUnknown() heap.Ref { return m.Add(heap.Node{}) }

// pop removes the top value. It does not go below the last MARK.
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

// top returns the top value above the last MARK.
func (m *Machine) top() (heap.Ref, bool) {
	if n := len(m.stack) - 1; n >= m.fence {
		return m.stack[n], true
	}
	m.underflow()
	return heap.Unknown, false
}

// underflow reports that the stack is empty down to the last MARK.
func (m *Machine) underflow() {
	m.Fail(Underflow, "%s at %d takes a value from an empty stack", m.Token.Code, m.Token.Off)
}

// popMark removes the last MARK and everything above it. The slice is valid until the next push.
func (m *Machine) popMark() []heap.Ref {
	n := len(m.marks) - 1
	if n < 0 {
		m.Fail(Underflow, "%s at %d needs a MARK, but there is none", m.Token.Code, m.Token.Off)
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

// again pushes a value that is already in use.
func (m *Machine) again(r heap.Ref) {
	switch n := m.At(r); n.Kind {
	case heap.KindTuple, heap.KindList, heap.KindDict, heap.KindSet, heap.KindFrozenSet, heap.KindCall:
		if n.N > 0 {
			m.reused++
		}
	}
	m.push(r)
}

// Depth returns the number of values and MARKs on the stack.
func (m *Machine) Depth() int { return len(m.stack) + len(m.marks) }

// Open returns the number of open MARKs.
func (m *Machine) Open() int { return len(m.marks) }

// Top returns the top value, regardless of MARKs; ok is false if the stack is empty.
func (m *Machine) Top() (heap.Ref, bool) {
	if n := len(m.stack) - 1; n >= 0 {
		return m.stack[n], true
	}
	return heap.Unknown, false
}

// Memoized returns the number of memo entries.
func (m *Machine) Memoized() int { return m.memo.live }
