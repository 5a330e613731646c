// Handlers: what each opcode does, the plain ones.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// handlers do what the opcodes say. What an opcode does that is no opcode, is
// never asked: the decoder stops there.
var handlers = [256]func(*machine){
	opcode.Mark:           (*machine).mark,
	opcode.Stop:           (*machine).stop,
	opcode.Pop:            (*machine).popOp,
	opcode.Dup:            (*machine).dup,
	opcode.Float:          (*machine).float,
	opcode.Int:            (*machine).int,
	opcode.Long:           (*machine).long,
	opcode.None:           func(m *machine) { m.push(heap.None) },
	opcode.PersID:         (*machine).persID,
	opcode.Reduce:         (*machine).reduce,
	opcode.String:         (*machine).quoted,
	opcode.Unicode:        (*machine).rawUnicode,
	opcode.Append:         func(m *machine) { m.appendItems(m.popN(1)) },
	opcode.Build:          (*machine).build,
	opcode.Global:         (*machine).global,
	opcode.Dict:           (*machine).dict,
	opcode.Get:            (*machine).get,
	opcode.Inst:           (*machine).inst,
	opcode.List:           (*machine).list,
	opcode.Put:            (*machine).put,
	opcode.SetItem:        func(m *machine) { m.setItems(m.popN(2)) },
	opcode.Tuple:          func(m *machine) { m.pushTuple(heap.KindTuple, m.popMark()) },
	opcode.EmptyTuple:     func(m *machine) { m.push(heap.EmptyTuple) },
	opcode.PopMark:        func(m *machine) { m.popMark() },
	opcode.BinFloat:       func(m *machine) { m.push(m.Add(heap.Node{Kind: heap.KindFloat, A: m.t.Num})) },
	opcode.BinInt:         func(m *machine) { m.pushInt(int64(m.t.Num)) },
	opcode.BinInt1:        func(m *machine) { m.push(heap.Int0 + heap.Ref(m.t.Num)) },
	opcode.BinInt2:        func(m *machine) { m.pushInt(int64(m.t.Num)) },
	opcode.BinPersID:      func(m *machine) { m.persistent(m.pop()) },
	opcode.BinString:      func(m *machine) { m.pushText(heap.KindStr, heap.Bytes8) },
	opcode.ShortBinString: func(m *machine) { m.pushText(heap.KindStr, heap.Bytes8) },
	opcode.BinUnicode:     (*machine).unicode,
	opcode.EmptyList:      func(m *machine) { m.push(m.Add(heap.Node{Kind: heap.KindList})) },
	opcode.Appends:        func(m *machine) { m.appendItems(m.popMark()) },
	opcode.BinGet:         func(m *machine) { m.recall(m.t.Num) },
	opcode.LongBinGet:     func(m *machine) { m.recall(m.t.Num) },
	opcode.Obj:            (*machine).obj,
	opcode.BinPut:         func(m *machine) { m.memorize(m.t.Num) },
	opcode.LongBinPut:     func(m *machine) { m.memorize(m.t.Num) },
	opcode.SetItems:       func(m *machine) { m.setItems(m.popMark()) },
	opcode.EmptyDict:      func(m *machine) { m.push(m.Add(heap.Node{Kind: heap.KindDict})) },
	opcode.Proto:          (*machine).protoOp,
	opcode.NewObj:         (*machine).newObj,
	opcode.Ext1:           (*machine).extension,
	opcode.Ext2:           (*machine).extension,
	opcode.Ext4:           (*machine).extension,
	opcode.Tuple1:         func(m *machine) { m.pushTuple(heap.KindTuple, m.popN(1)) },
	opcode.Tuple2:         func(m *machine) { m.pushTuple(heap.KindTuple, m.popN(2)) },
	opcode.Tuple3:         func(m *machine) { m.pushTuple(heap.KindTuple, m.popN(3)) },
	opcode.NewTrue:        func(m *machine) { m.push(heap.True) },
	opcode.NewFalse:       func(m *machine) { m.push(heap.False) },
	opcode.Long1:          (*machine).binLong,
	opcode.Long4:          (*machine).binLong,
	opcode.BinBytes:       func(m *machine) { m.pushText(heap.KindBytes, 0) },
	opcode.ShortBinBytes:  func(m *machine) { m.pushText(heap.KindBytes, 0) },
	opcode.ShortUnicode:   (*machine).unicode,
	opcode.BinUnicode8:    (*machine).unicode,
	opcode.BinBytes8:      func(m *machine) { m.pushText(heap.KindBytes, 0) },
	opcode.EmptySet:       func(m *machine) { m.push(m.Add(heap.Node{Kind: heap.KindSet})) },
	opcode.AddItems:       (*machine).addItems,
	opcode.FrozenSet:      func(m *machine) { m.pushTuple(heap.KindFrozenSet, m.popMark()) },
	opcode.NewObjEx:       (*machine).newObjEx,
	opcode.StackGlobal:    (*machine).stackGlobal,
	opcode.Memoize:        func(m *machine) { m.memorize(uint64(m.memo.live)) },
	opcode.Frame:          (*machine).frame,
	opcode.ByteArray8:     func(m *machine) { m.pushText(heap.KindByteArray, 0) },
	opcode.NextBuffer:     (*machine).nextBuffer,
	opcode.ReadonlyBuffer: (*machine).readonlyBuffer,
}

// mark is MARK. Picklers have one open for each level of nesting.
func (m *machine) mark() {
	m.marks = append(m.marks, len(m.stack))
	m.fence = len(m.stack)
	if len(m.marks) > maxMarks && !m.crowded {
		m.crowded = true
		m.warn(RuleResource, m.t.Off, "there are more than %d open MARKs", maxMarks)
	}
}

// stop ends the stream. A loader does not mind what else is on the stack.
func (m *machine) stop() {
	m.result = m.pop()
	if len(m.stack) > 0 || len(m.marks) > 0 {
		m.warn(RuleNotEmpty, m.t.Off, "the STOP at %d leaves %d values and %d MARKs on the stack", m.t.Off, len(m.stack), len(m.marks))
	}
	if n := len(m.outer) - 1; n >= 0 {
		c := &m.outer[n]
		m.stack, m.marks, m.fence, m.memo, m.proto, m.declared = append(c.stack, m.result), c.marks, c.fence, c.memo, c.proto, c.declared
		m.outer = m.outer[:n]
		return
	}
	m.done, m.stopped = true, true
}

// popOp takes a value off the stack, or a MARK if one is on top.
func (m *machine) popOp() {
	if n := len(m.marks); n > 0 && m.marks[n-1] == len(m.stack) {
		m.popMark()
		return
	}
	m.pop()
}

// dup is DUP, which no pickler of Python writes for data, and builders of
// payloads do.
func (m *machine) dup() {
	if r, ok := m.top(); ok {
		m.again(r)
	}
}

// popN takes n values off the stack. The slice is valid until the next push. If
// there are fewer, it returns as many unknown ones.
func (m *machine) popN(n int) []heap.Ref {
	base := len(m.stack) - n
	if base < m.fence {
		m.underflow()
		m.stack = m.stack[:m.fence]
		items := make([]heap.Ref, n)
		for i := range items {
			items[i] = m.unknown()
		}
		return items
	}
	items := m.stack[base:]
	m.stack = m.stack[:base]
	return items
}

// pushTuple makes a tuple or frozenset of items that were just taken off the stack.
func (m *machine) pushTuple(k heap.Kind, items []heap.Ref) {
	r := m.AddTuple(k, items)
	m.push(r)
	m.checkDepth(r)
	if k == heap.KindFrozenSet {
		m.checkHashable(items, 1)
	}
}

// pushInt pushes an int. The small ones are there already.
func (m *machine) pushInt(i int64) {
	if i >= 0 && i < 256 {
		m.push(heap.Int0 + heap.Ref(i))
		return
	}
	m.push(m.Add(heap.Node{Kind: heap.KindInt, A: uint64(i)}))
}

// list is LIST.
func (m *machine) list() {
	n := heap.Node{Kind: heap.KindList}
	items := m.popMark()
	m.Fill(&n, items)
	r := m.Add(n)
	m.push(r)
	m.checkDepth(r)
}

// dict is DICT.
func (m *machine) dict() {
	items := m.pairs(m.popMark())
	n := heap.Node{Kind: heap.KindDict}
	m.Fill(&n, items)
	r := m.Add(n)
	m.push(r)
	m.checkDepth(r)
	m.checkHashable(items, 2)
}

// pairs returns items without the last one if it has no other.
func (m *machine) pairs(items []heap.Ref) []heap.Ref {
	if len(items)%2 != 0 {
		m.refuse(RuleType, "the %s at %d has a key without a value", m.t.Code, m.t.Off)
		return items[:len(items)-1]
	}
	return items
}

// checkHashable notes keys that Python refuses: every item that is a multiple of
// step.
func (m *machine) checkHashable(items []heap.Ref, step int) {
	for i := 0; i < len(items); i += step {
		switch n := m.At(items[i]); {
		case n.Kind == heap.KindList || n.Kind == heap.KindDict || n.Kind == heap.KindSet || n.Kind == heap.KindByteArray,
			n.Kind == heap.KindTuple && n.Flags&heap.Hashless != 0:
			m.refuse(RuleType, "the %s at %d has a key that is a %s, or has one in it", m.t.Code, m.t.Off, n.Kind)
			return
		}
	}
}

// memorize stores the value on top of the stack.
func (m *machine) memorize(i uint64) {
	if r, ok := m.top(); ok && m.memo.put(i, r) && !m.far {
		m.far = true
		m.warn(RuleResource, m.t.Off, "the %s at %d has the number %d, for which the loader in C makes an array as long", m.t.Code, m.t.Off, i)
	}
}

// recall puts what was stored on the stack. The memo belongs to the loader and not
// to the stream, so that a program which loads one stream after another with one
// loader gets what the stream before has stored: it is taken if there is nothing
// else, but that the pickle depends on it is an error.
func (m *machine) recall(i uint64) {
	r := m.memo.at(i)
	if r == heap.Unknown {
		m.fail(RuleMemoMiss, "the %s at %d reads entry %d of the memo, which was never written", m.t.Code, m.t.Off, i)
		if r = m.older.at(i); r == heap.Unknown {
			r = m.unknown()
		}
	}
	m.again(r)
}

// protoOp sets the protocol. It is legal anywhere, and changes how names are
// resolved from there on.
func (m *machine) protoOp() {
	if m.t.Num > 5 {
		m.fail(RuleProto, "the PROTO at %d says %d, and the highest protocol is 5", m.t.Off, m.t.Num)
		return
	}
	if len(m.outer) == 0 {
		m.placeProto()
	}
	m.proto = int(m.t.Num)
	m.declared = max(m.proto, 1)
	m.named = max(m.named, m.proto)
}

// placeProto judges where the protocol is said, and how often.
func (m *machine) placeProto() {
	if m.t.Off == m.start {
		m.protoFirst = true
	} else {
		m.warn(RuleMisplaced, m.t.Off, "the PROTO at %d is not the first instruction", m.t.Off)
	}
	if m.protos > 0 {
		m.warn(RuleDuplicate, m.t.Off, "the PROTO at %d is not the first one", m.t.Off)
	}
	m.protos++
}

// frame is FRAME. A loader fetches the frame, and fails if it is not there.
func (m *machine) frame() {
	if !m.d.Enter(&m.t) {
		m.fail(RuleTruncated, "the FRAME at %d goes past the end of the bytes", m.t.Off)
	}
}

// nextBuffer is NEXT_BUFFER: an object that travels beside the pickle, and so not
// in a file.
func (m *machine) nextBuffer() {
	m.push(m.Add(heap.Node{Kind: heap.KindBuffer}))
	m.refuse(RuleBuffer, "the NEXT_BUFFER at %d needs a buffer that does not come with the pickle", m.t.Off)
}

// readonlyBuffer is READONLY_BUFFER: a view of the same object.
func (m *machine) readonlyBuffer() {
	r, _ := m.top()
	switch k := m.At(r).Kind; k {
	case heap.KindBytes, heap.KindByteArray, heap.KindBuffer, heap.KindCall, heap.KindPersistent, heap.KindUnknown:
	default:
		m.refuse(RuleType, "the READONLY_BUFFER at %d is given a %s", m.t.Off, k)
	}
}
