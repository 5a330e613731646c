// The machine: a pickle's instructions carried out on values that do nothing.

package pickle

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A machine does what a loader does to its stack and its memo, after the loader in
// C: its fences, its numbering of the memo, its order of checks. Where a loader
// would import, call or look up, it writes down that it would.
//
// Where a loader would stop with an error, the machine notes the error and goes on
// with unknown values. Nothing that follows is run by that loader; but what is
// there is worth knowing, and another loader may not stop.
type machine struct {
	*heap.Heap
	d     *opcode.Reader
	o     *Options
	found *findings
	t     opcode.Token

	stack []heap.Ref
	marks []int // heights of the stack at which there is a MARK
	fence int   // the last of them, 0 if there is none: nothing below it is reached
	memo  memo
	older memo      // of the stream before: some loaders keep it
	first heap.Ref  // the first value of the stream
	outer []context // streams around this one, which goes on when this one stops

	start    int64 // of the stream
	proto    int   // of the last PROTO: renames below 3
	declared int   // what instructions may be used without being newer
	named    int   // the highest protocol that was said
	protos   int   // how many times one was said

	protoFirst bool // whether one was said first
	done       bool
	stopped    bool // by a STOP
	result     heap.Ref
	failed     bool  // whether a loader would have stopped
	resume     int64 // where to look for another pickle if that was at lines that are none, 0 if it was not
	guessing   bool  // whether the stream was found by searching, so that names must be plausible
	plain      bool  // whether to take no notice of raw arrays, as loaders other than joblib's do
	rawAt      int64 // where the first raw array begins, -1 if there is none

	opcodes int64                   // how many were read
	work    int64                   // what they cost, in that of one that is cheap
	budget  int64                   // how much they may
	due     int64                   // at which cost that is looked at next
	every   int64                   // and how much later again
	held    int64                   // bytes that the streams before have taken
	reused  int                     // how often a container was put on the stack again
	deepest bool                    // whether depth was reported
	crowded bool                    // whether the number of marks was reported
	far     bool                    // whether a number of the memo was reported
	full    bool                    // whether there is no memory left
	observe func(do func(*machine)) // carries out an instruction for those who watch, nil if nobody does
}

// A context is what a loader keeps of a stream while it reads one within it.
type context struct {
	stack    []heap.Ref
	marks    []int
	fence    int
	memo     memo
	proto    int
	declared int
}

// The limits beyond which a value is reported. No pickler writes either: it
// recurses for each level, and Python ends that long before.
const (
	maxDepth = 10_000
	maxMarks = 10_000
	maxOuter = 100
)

// forget forgets the values of the streams before.
func (m *machine) forget() {
	m.Reset()
	m.memo.reset()
	m.older.reset()
}

// newMachine returns a machine for size bytes.
func newMachine(r io.ReaderAt, size int64, o *Options) *machine {
	return &machine{Heap: heap.New(r, size), d: opcode.NewReader(r, size), o: o}
}

// begin makes the machine ready for the stream at off.
func (m *machine) begin(off int64, found *findings) {
	m.d.Start(off)
	m.found = found
	m.stack, m.marks, m.fence = m.stack[:0], m.marks[:0], 0
	m.memo, m.older = m.older, m.memo
	m.memo.reset()
	m.first = heap.Ref(m.Size())
	m.outer = nil
	m.start, m.proto, m.declared, m.named, m.protos, m.protoFirst = off, 0, 1, 0, 0, false
	m.done, m.stopped, m.result, m.failed, m.resume = false, false, heap.Unknown, false, 0
	m.guessing, m.plain, m.rawAt = false, false, -1
	m.every = 1 << 12
	m.work, m.due, m.held = 0, 0, 0
	m.opcodes, m.reused, m.deepest, m.crowded, m.far, m.full = 0, 0, false, false, false, false
}

// run carries out instructions until a STOP, or until none can be read.
func (m *machine) run() opcode.Fault {
	for !m.done {
		if m.work >= m.due && m.over() {
			return opcode.FaultNone
		}
		if f := m.d.Next(&m.t); f != opcode.FaultNone {
			m.unreadable(f)
			return f
		}
		m.opcodes++
		m.work++
		if p := m.t.Code.Proto(); p > m.declared && m.t.Code != opcode.Proto {
			m.newer(p)
		}
		if m.observe != nil {
			m.observe(handlers[m.t.Code])
			continue
		}
		handlers[m.t.Code](m)
	}
	return opcode.FaultNone
}

// over is whether a limit was met, and notes it.
func (m *machine) over() bool {
	switch {
	case m.work >= m.budget && m.guessing:
	case m.work >= m.budget:
		m.found.limit(m.d.Offset(), "the budget of instructions is spent at %d, and what follows was not looked at", m.d.Offset())
	case m.used() > m.o.maxMemory():
		m.full = true
		m.found.limit(m.d.Offset(), "the budget of memory, %d bytes, is spent at %d, and what follows was not looked at", m.o.maxMemory(), m.d.Offset())
	default:
		m.due = min(m.work+m.every, max(m.budget, m.work+1))
		return false
	}
	m.failed = true
	return true
}

// used returns how many bytes are taken. What is on the stack counts thrice, since
// growing copies it.
func (m *machine) used() int64 {
	const slot, open = 12, 24
	n := m.held + m.Memory() + m.memo.memory() + m.older.memory() + m.found.bytes
	n += int64(len(m.stack))*slot + int64(len(m.marks))*open
	for i := range m.outer {
		c := &m.outer[i]
		n += int64(len(c.stack))*slot + int64(len(c.marks))*open + c.memo.memory()
	}
	return n
}

// The costs of what takes longer than a cheap instruction, in that of one.
const (
	costFinding = 16
	costSummary = 48
	costName    = 100 // a name that is new, and has to be judged
)

// look counts the cost of going through what is in v, and returns v. What is read once
// has paid for itself; what a pickle refers to can be gone through again and again.
func (m *machine) look(v heap.Value) heap.Value {
	m.work += v.Len() / 2
	return v
}

// summary returns a value as part of a message.
func (m *machine) summary(r heap.Ref) string {
	m.work += costSummary
	return m.Value(r).Summary()
}

// unreadable notes that an instruction could not be read.
func (m *machine) unreadable(f opcode.Fault) {
	detail := m.d.Describe(f, &m.t)
	switch f {
	case opcode.FaultRead:
		m.found.stop(detail)
	case opcode.FaultTruncated:
		if m.t.Code.Counted() && m.t.Off < m.d.Size() && m.t.Num > 1<<31 {
			m.warn(RuleResource, m.t.Off, "the %s at %d is said to have %d bytes", m.t.Code, m.t.Off, m.t.Num)
		}
		m.fail(RuleTruncated, "%s", detail)
	case opcode.FaultLength:
		m.warn(RuleResource, m.t.Off, "%s", detail)
		m.fail(RuleTruncated, "%s", detail)
	default:
		m.fail(RuleParse, "%s", detail)
	}
}

// fail notes an error after which a loader reads no further. Only the first is
// reported: what comes after it is often no more than its consequence.
func (m *machine) fail(rule Rule, format string, args ...any) {
	if m.failed {
		return
	}
	m.work += costFinding
	m.found.addf(rule, Warning, m.t.Off, format, args...)
	m.found.stop(fmt.Sprintf(format, args...))
	m.failed = true
	m.done = m.done || m.guessing // where another pickle may begin, it is looked for anyway
}

// refuse notes an error after which a loader reads no further, but of which the
// consequences are known.
func (m *machine) refuse(rule Rule, format string, args ...any) {
	m.warn(rule, m.t.Off, format, args...)
}

// warn notes something that makes the pickle suspicious.
func (m *machine) warn(rule Rule, off int64, format string, args ...any) {
	if !m.failed {
		m.work += costFinding
		m.found.addf(rule, Warning, off, format, args...)
	}
}

// danger notes something that makes the pickle dangerous.
func (m *machine) danger(rule Rule, format string, args ...any) {
	if !m.failed {
		m.work += costFinding
		m.found.addf(rule, Error, m.t.Off, format, args...)
	}
}

// newer notes an instruction that is newer than the protocol. joblib writes that
// of protocol 5 under the number 4, and means no harm by it.
func (m *machine) newer(proto int) {
	severity := Warning
	if m.declared == 4 {
		severity = Note
	}
	if !m.failed {
		m.work += costFinding
		m.found.addf(RuleNewer, severity, m.t.Off, "the %s at %d is of protocol %d, and the pickle is of protocol %d", m.t.Code, m.t.Off, proto, m.proto)
	}
	m.declared = proto
}

// push puts a value on the stack.
func (m *machine) push(r heap.Ref) { m.stack = append(m.stack, r) }

// unknown returns a value that a broken program would have had.
func (m *machine) unknown() heap.Ref { return m.Add(heap.Node{}) }

// pop takes a value off the stack, but none that is below the last MARK.
func (m *machine) pop() heap.Ref {
	n := len(m.stack) - 1
	if n < m.fence {
		m.underflow()
		return m.unknown()
	}
	r := m.stack[n]
	m.stack = m.stack[:n]
	return r
}

// top returns the value on top of the stack.
func (m *machine) top() (heap.Ref, bool) {
	if n := len(m.stack) - 1; n >= m.fence {
		return m.stack[n], true
	}
	m.underflow()
	return heap.Unknown, false
}

// underflow notes that the stack, or what of it is above the last MARK, is empty.
func (m *machine) underflow() {
	m.fail(RuleUnderflow, "the %s at %d takes more than is on the stack", m.t.Code, m.t.Off)
}

// popMark takes all that is above the last MARK, and the MARK, off the stack. The
// slice is valid until the next push.
func (m *machine) popMark() []heap.Ref {
	n := len(m.marks) - 1
	if n < 0 {
		m.fail(RuleUnderflow, "the %s at %d needs a MARK, and there is none", m.t.Code, m.t.Off)
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
func (m *machine) again(r heap.Ref) {
	switch n := m.At(r); n.Kind {
	case heap.KindTuple, heap.KindList, heap.KindDict, heap.KindSet, heap.KindFrozenSet, heap.KindCall:
		if n.N > 0 {
			m.reused++
		}
	}
	m.push(r)
}

// checkDepth notes a value that is nested deeper than any pickler can write.
func (m *machine) checkDepth(r heap.Ref) {
	if m.At(r).Depth > maxDepth && !m.deepest {
		m.deepest = true
		m.warn(RuleResource, m.t.Off, "values are nested more than %d deep", maxDepth)
	}
}
