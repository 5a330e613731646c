// The machine: a pickle's instructions carried out on values that do nothing.

// Package machine carries out the instructions of pickles on values that do nothing, and
// tells a Judge what a loader would do to anything else. It knows no lists of names, and
// thinks nothing of what it sees but whether a loader would take it.
package machine

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Machine does what a loader does to its stack and its memo, after the loader in
// C: its fences, its numbering of the memo, its order of checks. Where a loader
// would import, call or look up, it tells its Judge that it would.
//
// Where a loader would stop with an error, the machine notes the error and goes on
// with unknown values. Nothing that follows is run by that loader; but what is
// there is worth knowing, and another loader may not stop.
type Machine struct {
	*heap.Heap
	Reader *opcode.Reader
	Token  opcode.Token // the instruction that is carried out

	// What a run is to keep to: set after Begin.
	Guessing bool   // whether the stream was found by searching, so that names must be plausible
	Budget   int64  // how much it may cost
	Held     int64  // bytes that the streams before have taken
	Observe  func() // calls Step for each instruction, for those who watch; nil if nobody does

	// What became of it.
	First      heap.Ref // the first value of the stream
	Result     heap.Ref
	Stopped    bool  // by a STOP
	Failed     bool  // whether a loader would have stopped
	Full       bool  // whether there is no memory left
	Proto      int   // of the last PROTO: renames below 3
	Highest    int   // the highest protocol that was said
	ProtoFirst bool  // whether one was said first
	Opcodes    int64 // how many instructions were read
	Work       int64 // what they cost, in that of one that is cheap: a judge adds its own
	Resume     int64 // where to look for another pickle if that was at lines that are none, 0 if it was not

	judge Judge
	stack []heap.Ref
	marks []int // heights of the stack at which there is a MARK
	fence int   // the last of them, 0 if there is none: nothing below it is reached
	memo  memo
	older memo      // of the stream before: some loaders keep it
	outer []context // streams around this one, which goes on when this one stops

	start     int64 // of the stream
	declared  int   // what instructions may be used without being newer
	protos    int   // how many times a protocol was said
	done      bool
	maxMemory int64 // how many bytes may be taken
	due       int64 // at which cost the limits are looked at next
	every     int64 // and how much later again
	reused    int   // how often a container was put on the stack again
	deepest   bool  // whether depth was reported
	crowded   bool  // whether the number of marks was reported
	far       bool  // whether a number of the memo was reported
}

// The limits beyond which a value is reported. No pickler writes either: it
// recurses for each level, and Python ends that long before.
const (
	maxDepth = 10_000
	maxMarks = 10_000
)

// New returns a machine for size bytes, of which the values and what the judge
// finds may take so many.
func New(r io.ReaderAt, size, maxMemory int64, j Judge) *Machine {
	return &Machine{Heap: heap.New(r, size), Reader: opcode.NewReader(r, size), maxMemory: maxMemory, judge: j}
}

// Forget forgets the values of the streams before.
func (m *Machine) Forget() {
	m.Reset()
	m.memo.reset()
	m.older.reset()
}

// Restart makes the machine one of other bytes.
func (m *Machine) Restart(r io.ReaderAt, size, maxMemory int64) {
	m.Forget()
	m.Heap.Reuse(r)
	m.Reader.Reset(r, size)
	m.maxMemory = maxMemory
}

// Begin makes the machine ready for the stream at off.
func (m *Machine) Begin(off int64) {
	m.Reader.Start(off)
	m.stack, m.marks, m.fence = m.stack[:0], m.marks[:0], 0
	m.memo, m.older = m.older, m.memo
	m.memo.reset()
	m.First = heap.Ref(m.Size())
	m.outer = nil
	m.start, m.Proto, m.declared, m.Highest, m.protos, m.ProtoFirst = off, 0, 1, 0, 0, false
	m.done, m.Stopped, m.Result, m.Failed, m.Resume = false, false, heap.Unknown, false, 0
	m.Guessing = false
	m.every = 1 << 12
	m.Work, m.due, m.Held = 0, 0, 0
	m.Opcodes, m.reused, m.deepest, m.crowded, m.far, m.Full = 0, 0, false, false, false, false
}

// Run carries out instructions until a STOP, or until none can be read.
func (m *Machine) Run() opcode.Fault {
	for !m.done {
		if m.Work >= m.due && m.over() {
			return opcode.FaultNone
		}
		if f := m.Reader.Next(&m.Token); f != opcode.FaultNone {
			m.unreadable(f)
			return f
		}
		m.Opcodes++
		m.Work++
		if p := m.Token.Code.Proto(); p > m.declared && m.Token.Code != opcode.Proto {
			m.newer(p)
		}
		if m.Observe != nil {
			m.Observe()
			continue
		}
		handlers[m.Token.Code](m)
	}
	return opcode.FaultNone
}

// end ends the run after this instruction.
func (m *Machine) End() { m.done = true }

// step carries out the instruction that was read last.
func (m *Machine) Step() { handlers[m.Token.Code](m) }

// over is whether a limit was met, and notes it.
func (m *Machine) over() bool {
	switch {
	case m.Work >= m.Budget && m.Guessing:
	case m.Work >= m.Budget:
		m.judge.Limit(m.Reader.Offset(), "the budget of instructions is spent at %d, and what follows was not looked at", m.Reader.Offset())
	case m.Used() > m.maxMemory:
		m.Full = true
		m.judge.Limit(m.Reader.Offset(), "the budget of memory, %d bytes, is spent at %d, and what follows was not looked at", m.maxMemory, m.Reader.Offset())
	default:
		m.due = min(m.Work+m.every, max(m.Budget, m.Work+1))
		return false
	}
	m.Failed = true
	return true
}

// Used returns how many bytes are taken. What is on the stack counts thrice, since
// growing copies it.
func (m *Machine) Used() int64 {
	const slot, open = 12, 24
	n := m.Held + m.Memory() + m.memo.memory() + m.older.memory() + m.judge.Taken()
	n += int64(len(m.stack))*slot + int64(len(m.marks))*open
	for i := range m.outer {
		c := &m.outer[i]
		n += int64(len(c.stack))*slot + int64(len(c.marks))*open + c.memo.memory()
	}
	return n
}

// CostNote is what it costs to note something, in cheap instructions.
const CostNote = 16

// unreadable notes that an instruction could not be read.
func (m *Machine) unreadable(f opcode.Fault) {
	detail := m.Reader.Describe(f, &m.Token)
	switch f {
	case opcode.FaultRead:
		m.judge.Stop(detail)
	case opcode.FaultTruncated:
		if m.Token.Code.Counted() && m.Token.Off < m.Reader.Size() && m.Token.Num > 1<<31 {
			m.warn(Resource, m.Token.Off, "the %s at %d is said to have %d bytes", m.Token.Code, m.Token.Off, m.Token.Num)
		}
		m.Fail(Truncated, "%s", detail)
	case opcode.FaultLength:
		m.warn(Resource, m.Token.Off, "%s", detail)
		m.Fail(Truncated, "%s", detail)
	default:
		m.Fail(Parse, "%s", detail)
	}
}

// Fail notes an error after which a loader reads no further. Only the first is
// reported: what comes after it is often no more than its consequence.
func (m *Machine) Fail(rule string, format string, args ...any) {
	if m.Failed {
		return
	}
	m.Report(rule, names.Suspicious, m.Token.Off, format, args...)
	m.judge.Stop(fmt.Sprintf(format, args...))
	m.Failed = true
	m.done = m.done || m.Guessing // where another pickle may begin, it is looked for anyway
}

// refuse notes an error after which a loader reads no further, but of which the
// consequences are known.
func (m *Machine) refuse(rule string, format string, args ...any) {
	m.warn(rule, m.Token.Off, format, args...)
}

// Report tells the judge of something, unless an error came before.
func (m *Machine) Report(rule string, level names.Level, off int64, format string, args ...any) {
	if !m.Failed {
		m.Work += CostNote
		m.judge.Note(rule, level, off, format, args...)
	}
}

// warn notes something that makes the pickle suspicious.
func (m *Machine) warn(rule string, off int64, format string, args ...any) {
	m.Report(rule, names.Suspicious, off, format, args...)
}

// danger notes something that makes the pickle dangerous.
func (m *Machine) danger(rule string, format string, args ...any) {
	m.Report(rule, names.Dangerous, m.Token.Off, format, args...)
}

// newer notes an instruction that is newer than the protocol. joblib writes that
// of protocol 5 under the number 4, and means no harm by it.
func (m *Machine) newer(proto int) {
	level := names.Suspicious
	if m.declared == 4 {
		level = names.Safe
	}
	m.Report(Newer, level, m.Token.Off, "the %s at %d is of protocol %d, and the pickle is of protocol %d", m.Token.Code, m.Token.Off, proto, m.Proto)
	m.declared = proto
}

// checkDepth notes a value that is nested deeper than any pickler can write.
func (m *Machine) checkDepth(r heap.Ref) {
	if m.At(r).Depth > maxDepth && !m.deepest {
		m.deepest = true
		m.warn(Resource, m.Token.Off, "values are nested more than %d deep", maxDepth)
	}
}
