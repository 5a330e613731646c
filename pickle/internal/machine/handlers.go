// Handlers of simple opcodes.

package machine

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// mark is MARK. Picklers keep one open per nesting level.
func (m *Machine) mark() {
	m.marks = append(m.marks, len(m.stack))
	m.fence = len(m.stack)
	if len(m.marks) > maxMarks && !m.crowded {
		m.crowded = true
		m.warn(Resource, m.Token.Off, "more than %d MARKs are open", maxMarks)
	}
}

// stop ends the stream. Loaders ignore the rest of the stack.
func (m *Machine) stop() {
	m.Result = m.pop()
	m.Reader.Leave(&m.Token)
	if len(m.stack) > 0 || len(m.marks) > 0 {
		m.warn(NotEmpty, m.Token.Off, "STOP at %d leaves %d values and %d MARKs on the stack",
			m.Token.Off, len(m.stack), len(m.marks))
	}
	if n := len(m.outer) - 1; n >= 0 {
		c := &m.outer[n]
		m.stack, m.marks, m.fence, m.memo = append(c.stack, m.Result), c.marks, c.fence, c.memo
		m.Proto, m.declared = c.proto, c.declared
		m.outer = m.outer[:n]
		return
	}
	m.done, m.Stopped = true, true
}

// popOp removes the top value, or the top MARK if there is no value above it.
func (m *Machine) popOp() {
	if n := len(m.marks); n > 0 && m.marks[n-1] == len(m.stack) {
		m.popMark()
		return
	}
	m.pop()
}

// dup is DUP. Python's pickler never writes it; payload builders do.
func (m *Machine) dup() {
	if r, ok := m.top(); ok {
		m.again(r)
	}
}

// popN removes n values from the stack. If there are fewer, the missing ones are unknown. The slice is valid until the
// next push.
func (m *Machine) popN(n int) []heap.Ref {
	base := len(m.stack) - n
	if base < m.fence {
		m.underflow()
		m.stack = m.stack[:m.fence]
		items := make([]heap.Ref, n)
		for i := range items {
			items[i] = m.AddUnknown()
		}
		return items
	}
	items := m.stack[base:]
	m.stack = m.stack[:base]
	return items
}

// pushTuple pushes a tuple or frozenset of items that were just removed from the stack.
func (m *Machine) pushTuple(k heap.Kind, items []heap.Ref) {
	r := m.AddTuple(k, items)
	m.push(r)
	m.checkDepth(r)
	if k == heap.KindFrozenSet {
		m.checkHashable(items, 1)
	}
}

// pushInt pushes an int. Small ints have predefined nodes.
func (m *Machine) pushInt(i int64) {
	if i >= 0 && i < 256 {
		m.push(heap.Int0 + heap.Ref(i))
		return
	}
	m.push(m.Add(heap.Node{Kind: heap.KindInt, A: uint64(i)}))
}

// list is LIST.
func (m *Machine) list() {
	n := heap.Node{Kind: heap.KindList}
	items := m.popMark()
	m.Fill(&n, items)
	r := m.Add(n)
	m.push(r)
	m.checkDepth(r)
}

// dict is DICT.
func (m *Machine) dict() {
	items := m.pairs(m.popMark())
	n := heap.Node{Kind: heap.KindDict}
	m.Fill(&n, items)
	r := m.Add(n)
	m.push(r)
	m.checkDepth(r)
	m.checkHashable(items, 2)
}

// pairs drops the last item if it has no partner.
func (m *Machine) pairs(items []heap.Ref) []heap.Ref {
	if len(items)%2 != 0 {
		m.refuse(TypeError, "%s at %d has a key without a value", m.Token.Code, m.Token.Off)
		return items[:len(items)-1]
	}
	return items
}

// checkHashable reports unhashable keys: it checks every step-th item.
func (m *Machine) checkHashable(items []heap.Ref, step int) {
	for i := 0; i < len(items); i += step {
		n := m.At(items[i])
		switch n.Kind {
		case heap.KindList, heap.KindDict, heap.KindSet, heap.KindByteArray:
		case heap.KindTuple:
			if n.Flags&heap.Hashless == 0 {
				continue
			}
		default:
			continue
		}
		m.refuse(TypeError, "%s at %d has a key of type %s, which is not hashable", m.Token.Code, m.Token.Off, n.Kind)
		return
	}
}

// memorize stores the top value in the memo.
func (m *Machine) memorize(i uint64) {
	if r, ok := m.top(); ok && m.memo.put(i, r) && !m.far {
		m.far = true
		m.warn(Resource, m.Token.Off, "%s at %d uses memo index %d, for which the C loader allocates an array",
			m.Token.Code, m.Token.Off, i)
	}
}

// recall pushes a memo entry. The memo belongs to the loader, not to the stream: a program that loads several streams
// with one loader sees entries of the previous stream. Such an entry is used, but depending on it is an error.
func (m *Machine) recall(i uint64) {
	r := m.memo.at(i)
	if r == heap.Unknown {
		m.Fail(MemoMiss, "%s at %d reads memo entry %d, which was never written", m.Token.Code, m.Token.Off, i)
		if r = m.older.at(i); r == heap.Unknown {
			r = m.AddUnknown()
		}
	}
	m.again(r)
}

// protoOp sets the protocol. It is legal anywhere and changes how later imports are resolved.
func (m *Machine) protoOp() {
	if m.Token.Num > 5 {
		m.Fail(BadProto, "PROTO at %d declares protocol %d, but the highest is 5", m.Token.Off, m.Token.Num)
		return
	}
	if len(m.outer) == 0 {
		m.placeProto()
	}
	m.Proto = int(m.Token.Num)
	m.declared = max(m.Proto, 1)
	m.Highest = max(m.Highest, m.Proto)
}

// placeProto checks the position and the number of PROTO instructions.
func (m *Machine) placeProto() {
	if m.Token.Off == m.start {
		m.ProtoFirst = true
	} else {
		m.warn(Misplaced, m.Token.Off, "PROTO at %d is not the first instruction", m.Token.Off)
	}
	if m.protos > 0 {
		m.warn(Duplicate, m.Token.Off, "PROTO at %d is a duplicate", m.Token.Off)
	}
	m.protos++
}

// frame is FRAME. A loader fails if the frame is not complete.
func (m *Machine) frame() {
	if !m.Reader.Enter(&m.Token) {
		m.Fail(Truncated, "FRAME at %d extends past the end of the data", m.Token.Off)
	}
}

// nextBuffer is NEXT_BUFFER: an out-of-band buffer, which cannot be in a file.
func (m *Machine) nextBuffer() {
	m.push(m.Add(heap.Node{Kind: heap.KindBuffer}))
	m.refuse(Buffer, "NEXT_BUFFER at %d needs an out-of-band buffer", m.Token.Off)
}

// readonlyBuffer is READONLY_BUFFER: a read-only view of the top value.
func (m *Machine) readonlyBuffer() {
	r, _ := m.top()
	switch k := m.At(r).Kind; k {
	case heap.KindBytes, heap.KindByteArray, heap.KindBuffer, heap.KindCall, heap.KindPersistent, heap.KindUnknown:
	default:
		m.refuse(TypeError, "READONLY_BUFFER at %d is applied to a value of type %s", m.Token.Off, k)
	}
}
