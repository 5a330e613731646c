// Handlers: what each opcode does, the plain ones.

package pickle

// handlers do what the opcodes say. What an opcode does that is no opcode, is
// never asked: the decoder stops there.
var handlers = [256]func(*machine){
	opMark:           (*machine).mark,
	opStop:           (*machine).stop,
	opPop:            (*machine).popOp,
	opDup:            (*machine).dup,
	opFloat:          (*machine).float,
	opInt:            (*machine).int,
	opLong:           (*machine).long,
	opNone:           func(m *machine) { m.push(refNone) },
	opPersID:         (*machine).persID,
	opReduce:         (*machine).reduce,
	opString:         (*machine).quoted,
	opUnicode:        (*machine).rawUnicode,
	opAppend:         func(m *machine) { m.appendItems(m.popN(1)) },
	opBuild:          (*machine).build,
	opGlobal:         (*machine).global,
	opDict:           (*machine).dict,
	opGet:            (*machine).get,
	opInst:           (*machine).inst,
	opList:           (*machine).list,
	opPut:            (*machine).put,
	opSetItem:        func(m *machine) { m.setItems(m.popN(2)) },
	opTuple:          func(m *machine) { m.pushTuple(KindTuple, m.popMark()) },
	opEmptyTuple:     func(m *machine) { m.push(refEmptyTuple) },
	opPopMark:        func(m *machine) { m.popMark() },
	opBinFloat:       func(m *machine) { m.push(m.add(node{kind: KindFloat, a: m.t.num})) },
	opBinInt:         func(m *machine) { m.pushInt(int64(m.t.num)) },
	opBinInt1:        func(m *machine) { m.push(refInt0 + ref(m.t.num)) },
	opBinInt2:        func(m *machine) { m.pushInt(int64(m.t.num)) },
	opBinPersID:      func(m *machine) { m.persistent(m.pop()) },
	opBinString:      func(m *machine) { m.pushText(KindStr, flagBytes8) },
	opShortBinString: func(m *machine) { m.pushText(KindStr, flagBytes8) },
	opBinUnicode:     (*machine).unicode,
	opEmptyList:      func(m *machine) { m.push(m.add(node{kind: KindList})) },
	opAppends:        func(m *machine) { m.appendItems(m.popMark()) },
	opBinGet:         func(m *machine) { m.recall(m.t.num) },
	opLongBinGet:     func(m *machine) { m.recall(m.t.num) },
	opObj:            (*machine).obj,
	opBinPut:         func(m *machine) { m.memorize(m.t.num) },
	opLongBinPut:     func(m *machine) { m.memorize(m.t.num) },
	opSetItems:       func(m *machine) { m.setItems(m.popMark()) },
	opEmptyDict:      func(m *machine) { m.push(m.add(node{kind: KindDict})) },
	opProto:          (*machine).protoOp,
	opNewObj:         (*machine).newObj,
	opExt1:           (*machine).extension,
	opExt2:           (*machine).extension,
	opExt4:           (*machine).extension,
	opTuple1:         func(m *machine) { m.pushTuple(KindTuple, m.popN(1)) },
	opTuple2:         func(m *machine) { m.pushTuple(KindTuple, m.popN(2)) },
	opTuple3:         func(m *machine) { m.pushTuple(KindTuple, m.popN(3)) },
	opNewTrue:        func(m *machine) { m.push(refTrue) },
	opNewFalse:       func(m *machine) { m.push(refFalse) },
	opLong1:          (*machine).binLong,
	opLong4:          (*machine).binLong,
	opBinBytes:       func(m *machine) { m.pushText(KindBytes, 0) },
	opShortBinBytes:  func(m *machine) { m.pushText(KindBytes, 0) },
	opShortUnicode:   (*machine).unicode,
	opBinUnicode8:    (*machine).unicode,
	opBinBytes8:      func(m *machine) { m.pushText(KindBytes, 0) },
	opEmptySet:       func(m *machine) { m.push(m.add(node{kind: KindSet})) },
	opAddItems:       (*machine).addItems,
	opFrozenSet:      func(m *machine) { m.pushTuple(KindFrozenSet, m.popMark()) },
	opNewObjEx:       (*machine).newObjEx,
	opStackGlobal:    (*machine).stackGlobal,
	opMemoize:        func(m *machine) { m.memorize(uint64(m.memo.live)) },
	opFrame:          (*machine).frame,
	opByteArray8:     func(m *machine) { m.pushText(KindByteArray, 0) },
	opNextBuffer:     (*machine).nextBuffer,
	opReadonlyBuffer: (*machine).readonlyBuffer,
}

// mark is MARK. Picklers have one open for each level of nesting.
func (m *machine) mark() {
	m.marks = append(m.marks, len(m.stack))
	m.fence = len(m.stack)
	if len(m.marks) > maxMarks && !m.crowded {
		m.crowded = true
		m.warn(RuleResource, m.t.off, "there are more than %d open MARKs", maxMarks)
	}
}

// stop ends the stream. A loader does not mind what else is on the stack.
func (m *machine) stop() {
	m.result = m.pop()
	if len(m.stack) > 0 || len(m.marks) > 0 {
		m.warn(RuleNotEmpty, m.t.off, "the STOP at %d leaves %d values and %d MARKs on the stack", m.t.off, len(m.stack), len(m.marks))
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
func (m *machine) popN(n int) []ref {
	base := len(m.stack) - n
	if base < m.fence {
		m.underflow()
		m.stack = m.stack[:m.fence]
		items := make([]ref, n)
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
func (m *machine) pushTuple(k Kind, items []ref) {
	r := m.addTuple(k, items)
	m.push(r)
	m.checkDepth(r)
	if k == KindFrozenSet {
		m.checkHashable(items, 1)
	}
}

// pushInt pushes an int. The small ones are there already.
func (m *machine) pushInt(i int64) {
	if i >= 0 && i < 256 {
		m.push(refInt0 + ref(i))
		return
	}
	m.push(m.add(node{kind: KindInt, a: uint64(i)}))
}

// list is LIST.
func (m *machine) list() {
	n := node{kind: KindList}
	items := m.popMark()
	m.fillList(&n, items)
	r := m.add(n)
	m.push(r)
	m.checkDepth(r)
}

// fillList adds items to a list or set.
func (m *machine) fillList(n *node, items []ref) {
	for _, item := range items {
		n.hold(m.at(item))
	}
	n.n += uint32(len(items))
	m.extend(&n.a, items)
}

// dict is DICT.
func (m *machine) dict() {
	items := m.pairs(m.popMark())
	n := node{kind: KindDict}
	m.fillList(&n, items)
	r := m.add(n)
	m.push(r)
	m.checkDepth(r)
	m.checkHashable(items, 2)
}

// pairs returns items without the last one if it has no other.
func (m *machine) pairs(items []ref) []ref {
	if len(items)%2 != 0 {
		m.refuse(RuleType, "the %s at %d has a key without a value", m.t.code, m.t.off)
		return items[:len(items)-1]
	}
	return items
}

// checkHashable notes keys that Python refuses: every item that is a multiple of
// step.
func (m *machine) checkHashable(items []ref, step int) {
	for i := 0; i < len(items); i += step {
		switch n := m.at(items[i]); {
		case n.kind == KindList || n.kind == KindDict || n.kind == KindSet || n.kind == KindByteArray,
			n.kind == KindTuple && n.flags&flagHashless != 0:
			m.refuse(RuleType, "the %s at %d has a key that is a %s, or has one in it", m.t.code, m.t.off, n.kind)
			return
		}
	}
}

// memorize stores the value on top of the stack.
func (m *machine) memorize(i uint64) {
	if r, ok := m.top(); ok && m.memo.put(i, r) && !m.far {
		m.far = true
		m.warn(RuleResource, m.t.off, "the %s at %d has the number %d, for which the loader in C makes an array as long", m.t.code, m.t.off, i)
	}
}

// recall puts what was stored on the stack. The memo belongs to the loader and not
// to the stream, so that a program which loads one stream after another with one
// loader gets what the stream before has stored: it is taken if there is nothing
// else, but that the pickle depends on it is an error.
func (m *machine) recall(i uint64) {
	r := m.memo.at(i)
	if r == refUnknown {
		m.fail(RuleMemoMiss, "the %s at %d reads entry %d of the memo, which was never written", m.t.code, m.t.off, i)
		if r = m.older.at(i); r == refUnknown {
			r = m.unknown()
		}
	}
	m.again(r)
}

// protoOp sets the protocol. It is legal anywhere, and changes how names are
// resolved from there on.
func (m *machine) protoOp() {
	if m.t.num > 5 {
		m.fail(RuleProto, "the PROTO at %d says %d, and the highest protocol is 5", m.t.off, m.t.num)
		return
	}
	if len(m.outer) == 0 {
		m.placeProto()
	}
	m.proto = uint8(m.t.num)
	m.declared = max(m.proto, 1)
	m.named = max(m.named, m.proto)
}

// placeProto judges where the protocol is said, and how often.
func (m *machine) placeProto() {
	if m.t.off == m.start {
		m.protoFirst = true
	} else {
		m.warn(RuleMisplaced, m.t.off, "the PROTO at %d is not the first instruction", m.t.off)
	}
	if m.protos > 0 {
		m.warn(RuleDuplicate, m.t.off, "the PROTO at %d is not the first one", m.t.off)
	}
	m.protos++
}

// frame is FRAME. A loader fetches the frame, and fails if it is not there.
func (m *machine) frame() {
	if !m.d.enter(&m.t) {
		m.fail(RuleTruncated, "the FRAME at %d goes past the end of the bytes", m.t.off)
	}
}

// nextBuffer is NEXT_BUFFER: an object that travels beside the pickle, and so not
// in a file.
func (m *machine) nextBuffer() {
	m.push(m.add(node{kind: KindBuffer}))
	m.refuse(RuleBuffer, "the NEXT_BUFFER at %d needs a buffer that does not come with the pickle", m.t.off)
}

// readonlyBuffer is READONLY_BUFFER: a view of the same object.
func (m *machine) readonlyBuffer() {
	r, _ := m.top()
	switch k := m.at(r).kind; k {
	case KindBytes, KindByteArray, KindBuffer, KindCall, KindPersistent, KindUnknown:
	default:
		m.refuse(RuleType, "the READONLY_BUFFER at %d is given a %s", m.t.off, k)
	}
}
