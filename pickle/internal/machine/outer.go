// Pickles within pickles, which one loader reads one inside the other.

package machine

import "github.com/weightools/safetensors/pickle/internal/heap"

// maxOuter is how many pickles are followed into each other.
const maxOuter = 100

// A context is what a loader keeps of a stream while it reads one within it.
type context struct {
	stack    []heap.Ref
	marks    []int
	fence    int
	memo     memo
	proto    int
	declared int
}

// Inner begins the pickle that stands in place of the value on top of the stack. It
// returns false if there are too many around it.
func (m *Machine) Inner() bool {
	if len(m.outer) == maxOuter {
		m.judge.Limit(m.Reader.Offset(), "pickles within arrays are not followed beyond %d", maxOuter)
		m.Failed, m.done = true, true
		return false
	}
	m.pop()
	m.outer = append(m.outer, context{m.stack, m.marks, m.fence, m.memo, m.Proto, m.declared})
	m.stack, m.marks, m.fence, m.memo, m.Proto, m.declared = nil, nil, 0, memo{}, 0, 1
	return true
}

// Within returns how many pickles are around the one that is read.
func (m *Machine) Within() int { return len(m.outer) }
