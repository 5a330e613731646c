// Nested pickles that one loader reads inside another.

package machine

// maxOuter is the maximum nesting.
const maxOuter = 100

// Inner starts the pickle that takes the place of the top value. It returns false if the nesting is too deep.
func (m *Machine) Inner() bool {
	if len(m.outer) == maxOuter {
		m.judge.Limit(m.Reader.Offset(), "pickles within arrays are nested more than %d deep", maxOuter)
		m.Failed, m.done = true, true
		return false
	}
	m.pop()
	m.outer = append(m.outer, context{m.stack, m.marks, m.fence, m.memo, m.Proto, m.declared})
	m.stack, m.marks, m.fence, m.memo, m.Proto, m.declared = nil, nil, 0, memo{}, 0, 1
	return true
}

// Within returns the number of pickles around the current one.
func (m *Machine) Within() int { return len(m.outer) }
