// Handlers: what each opcode does, the plain ones.

package machine

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// handlers do what the opcodes say. What an opcode does that is no opcode, is
// never asked: the reader stops there.
var handlers = [256]func(*Machine){
	opcode.Mark:           (*Machine).mark,
	opcode.Stop:           (*Machine).stop,
	opcode.Pop:            (*Machine).popOp,
	opcode.Dup:            (*Machine).dup,
	opcode.Float:          (*Machine).float,
	opcode.Int:            (*Machine).int,
	opcode.Long:           (*Machine).long,
	opcode.None:           func(m *Machine) { m.push(heap.None) },
	opcode.PersID:         (*Machine).persID,
	opcode.Reduce:         (*Machine).reduce,
	opcode.String:         (*Machine).quoted,
	opcode.Unicode:        (*Machine).rawUnicode,
	opcode.Append:         func(m *Machine) { m.appendItems(m.popN(1)) },
	opcode.Build:          (*Machine).build,
	opcode.Global:         (*Machine).global,
	opcode.Dict:           (*Machine).dict,
	opcode.Get:            (*Machine).get,
	opcode.Inst:           (*Machine).inst,
	opcode.List:           (*Machine).list,
	opcode.Put:            (*Machine).put,
	opcode.SetItem:        func(m *Machine) { m.setItems(m.popN(2)) },
	opcode.Tuple:          func(m *Machine) { m.pushTuple(heap.KindTuple, m.popMark()) },
	opcode.EmptyTuple:     func(m *Machine) { m.push(heap.EmptyTuple) },
	opcode.PopMark:        func(m *Machine) { m.popMark() },
	opcode.BinFloat:       func(m *Machine) { m.push(m.Add(heap.Node{Kind: heap.KindFloat, A: m.Token.Num})) },
	opcode.BinInt:         func(m *Machine) { m.pushInt(int64(m.Token.Num)) },
	opcode.BinInt1:        func(m *Machine) { m.push(heap.Int0 + heap.Ref(m.Token.Num)) },
	opcode.BinInt2:        func(m *Machine) { m.pushInt(int64(m.Token.Num)) },
	opcode.BinPersID:      func(m *Machine) { m.persistent(m.pop()) },
	opcode.BinString:      func(m *Machine) { m.pushText(heap.KindStr, heap.Bytes8) },
	opcode.ShortBinString: func(m *Machine) { m.pushText(heap.KindStr, heap.Bytes8) },
	opcode.BinUnicode:     (*Machine).unicode,
	opcode.EmptyList:      func(m *Machine) { m.push(m.Add(heap.Node{Kind: heap.KindList})) },
	opcode.Appends:        func(m *Machine) { m.appendItems(m.popMark()) },
	opcode.BinGet:         func(m *Machine) { m.recall(m.Token.Num) },
	opcode.LongBinGet:     func(m *Machine) { m.recall(m.Token.Num) },
	opcode.Obj:            (*Machine).obj,
	opcode.BinPut:         func(m *Machine) { m.memorize(m.Token.Num) },
	opcode.LongBinPut:     func(m *Machine) { m.memorize(m.Token.Num) },
	opcode.SetItems:       func(m *Machine) { m.setItems(m.popMark()) },
	opcode.EmptyDict:      func(m *Machine) { m.push(m.Add(heap.Node{Kind: heap.KindDict})) },
	opcode.Proto:          (*Machine).protoOp,
	opcode.NewObj:         (*Machine).newObj,
	opcode.Ext1:           (*Machine).extension,
	opcode.Ext2:           (*Machine).extension,
	opcode.Ext4:           (*Machine).extension,
	opcode.Tuple1:         func(m *Machine) { m.pushTuple(heap.KindTuple, m.popN(1)) },
	opcode.Tuple2:         func(m *Machine) { m.pushTuple(heap.KindTuple, m.popN(2)) },
	opcode.Tuple3:         func(m *Machine) { m.pushTuple(heap.KindTuple, m.popN(3)) },
	opcode.NewTrue:        func(m *Machine) { m.push(heap.True) },
	opcode.NewFalse:       func(m *Machine) { m.push(heap.False) },
	opcode.Long1:          (*Machine).binLong,
	opcode.Long4:          (*Machine).binLong,
	opcode.BinBytes:       func(m *Machine) { m.pushText(heap.KindBytes, 0) },
	opcode.ShortBinBytes:  func(m *Machine) { m.pushText(heap.KindBytes, 0) },
	opcode.ShortUnicode:   (*Machine).unicode,
	opcode.BinUnicode8:    (*Machine).unicode,
	opcode.BinBytes8:      func(m *Machine) { m.pushText(heap.KindBytes, 0) },
	opcode.EmptySet:       func(m *Machine) { m.push(m.Add(heap.Node{Kind: heap.KindSet})) },
	opcode.AddItems:       (*Machine).addItems,
	opcode.FrozenSet:      func(m *Machine) { m.pushTuple(heap.KindFrozenSet, m.popMark()) },
	opcode.NewObjEx:       (*Machine).newObjEx,
	opcode.StackGlobal:    (*Machine).stackGlobal,
	opcode.Memoize:        func(m *Machine) { m.memorize(uint64(m.memo.live)) },
	opcode.Frame:          (*Machine).frame,
	opcode.ByteArray8:     func(m *Machine) { m.pushText(heap.KindByteArray, 0) },
	opcode.NextBuffer:     (*Machine).nextBuffer,
	opcode.ReadonlyBuffer: (*Machine).readonlyBuffer,
}

// mark is MARK. Picklers have one open for each level of nesting.
func (m *Machine) mark() {
	m.marks = append(m.marks, len(m.stack))
	m.fence = len(m.stack)
	if len(m.marks) > maxMarks && !m.crowded {
		m.crowded = true
		m.warn(Resource, m.Token.Off, "there are more than %d open MARKs", maxMarks)
	}
}

// stop ends the stream. A loader does not mind what else is on the stack.
func (m *Machine) stop() {
	m.Result = m.pop()
	if len(m.stack) > 0 || len(m.marks) > 0 {
		m.warn(NotEmpty, m.Token.Off, "the STOP at %d leaves %d values and %d MARKs on the stack", m.Token.Off, len(m.stack), len(m.marks))
	}
	if n := len(m.outer) - 1; n >= 0 {
		c := &m.outer[n]
		m.stack, m.marks, m.fence, m.memo, m.Proto, m.declared = append(c.stack, m.Result), c.marks, c.fence, c.memo, c.proto, c.declared
		m.outer = m.outer[:n]
		return
	}
	m.done, m.Stopped = true, true
}

// popOp takes a value off the stack, or a MARK if one is on top.
func (m *Machine) popOp() {
	if n := len(m.marks); n > 0 && m.marks[n-1] == len(m.stack) {
		m.popMark()
		return
	}
	m.pop()
}

// dup is DUP, which no pickler of Python writes for data, and builders of
// payloads do.
func (m *Machine) dup() {
	if r, ok := m.top(); ok {
		m.again(r)
	}
}

// popN takes n values off the stack. The slice is valid until the next push. If
// there are fewer, it returns as many unknown ones.
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

// pushTuple makes a tuple or frozenset of items that were just taken off the stack.
func (m *Machine) pushTuple(k heap.Kind, items []heap.Ref) {
	r := m.AddTuple(k, items)
	m.push(r)
	m.checkDepth(r)
	if k == heap.KindFrozenSet {
		m.checkHashable(items, 1)
	}
}

// pushInt pushes an int. The small ones are there already.
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

// pairs returns items without the last one if it has no other.
func (m *Machine) pairs(items []heap.Ref) []heap.Ref {
	if len(items)%2 != 0 {
		m.refuse(TypeError, "the %s at %d has a key without a value", m.Token.Code, m.Token.Off)
		return items[:len(items)-1]
	}
	return items
}

// checkHashable notes keys that Python refuses: every item that is a multiple of
// step.
func (m *Machine) checkHashable(items []heap.Ref, step int) {
	for i := 0; i < len(items); i += step {
		switch n := m.At(items[i]); {
		case n.Kind == heap.KindList || n.Kind == heap.KindDict || n.Kind == heap.KindSet || n.Kind == heap.KindByteArray,
			n.Kind == heap.KindTuple && n.Flags&heap.Hashless != 0:
			m.refuse(TypeError, "the %s at %d has a key that is a %s, or has one in it", m.Token.Code, m.Token.Off, n.Kind)
			return
		}
	}
}

// memorize stores the value on top of the stack.
func (m *Machine) memorize(i uint64) {
	if r, ok := m.top(); ok && m.memo.put(i, r) && !m.far {
		m.far = true
		m.warn(Resource, m.Token.Off, "the %s at %d has the number %d, for which the loader in C makes an array as long", m.Token.Code, m.Token.Off, i)
	}
}

// recall puts what was stored on the stack. The memo belongs to the loader and not
// to the stream, so that a program which loads one stream after another with one
// loader gets what the stream before has stored: it is taken if there is nothing
// else, but that the pickle depends on it is an error.
func (m *Machine) recall(i uint64) {
	r := m.memo.at(i)
	if r == heap.Unknown {
		m.Fail(MemoMiss, "the %s at %d reads entry %d of the memo, which was never written", m.Token.Code, m.Token.Off, i)
		if r = m.older.at(i); r == heap.Unknown {
			r = m.AddUnknown()
		}
	}
	m.again(r)
}

// protoOp sets the protocol. It is legal anywhere, and changes how names are
// resolved from there on.
func (m *Machine) protoOp() {
	if m.Token.Num > 5 {
		m.Fail(BadProto, "the PROTO at %d says %d, and the highest protocol is 5", m.Token.Off, m.Token.Num)
		return
	}
	if len(m.outer) == 0 {
		m.placeProto()
	}
	m.Proto = int(m.Token.Num)
	m.declared = max(m.Proto, 1)
	m.Highest = max(m.Highest, m.Proto)
}

// placeProto judges where the protocol is said, and how often.
func (m *Machine) placeProto() {
	if m.Token.Off == m.start {
		m.ProtoFirst = true
	} else {
		m.warn(Misplaced, m.Token.Off, "the PROTO at %d is not the first instruction", m.Token.Off)
	}
	if m.protos > 0 {
		m.warn(Duplicate, m.Token.Off, "the PROTO at %d is not the first one", m.Token.Off)
	}
	m.protos++
}

// frame is FRAME. A loader fetches the frame, and fails if it is not there.
func (m *Machine) frame() {
	if !m.Reader.Enter(&m.Token) {
		m.Fail(Truncated, "the FRAME at %d goes past the end of the bytes", m.Token.Off)
	}
}

// nextBuffer is NEXT_BUFFER: an object that travels beside the pickle, and so not
// in a file.
func (m *Machine) nextBuffer() {
	m.push(m.Add(heap.Node{Kind: heap.KindBuffer}))
	m.refuse(Buffer, "the NEXT_BUFFER at %d needs a buffer that does not come with the pickle", m.Token.Off)
}

// readonlyBuffer is READONLY_BUFFER: a view of the same object.
func (m *Machine) readonlyBuffer() {
	r, _ := m.top()
	switch k := m.At(r).Kind; k {
	case heap.KindBytes, heap.KindByteArray, heap.KindBuffer, heap.KindCall, heap.KindPersistent, heap.KindUnknown:
	default:
		m.refuse(TypeError, "the READONLY_BUFFER at %d is given a %s", m.Token.Off, k)
	}
}
