// The machine: it executes instructions on inert values.

// Package machine executes the instructions of pickles on inert values and reports to a Judge what a loader would do.
// It has no lists of names; it only knows what loaders accept.
package machine

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Machine maintains the stack and the memo as the C loader does, with the same fences, memo indexes and order of
// checks. Where a loader would import, call or look up an object, the machine reports that to its Judge.
//
// Where a loader would stop with an error, the machine reports the error and continues with unknown values. That loader
// runs nothing of the rest, but the rest is still evidence, and other loaders may not stop.
type Machine struct {
	*heap.Heap
	Reader *opcode.Reader
	Token  opcode.Token // the current instruction

	// Parameters of a run, set after Begin.
	Guessing bool   // the stream was found by a search, so names must be plausible
	Budget   int64  // the maximum cost
	Held     int64  // bytes used by previous streams
	Observe  func() // called for each instruction instead of Step, which it must call; can be nil

	// Results of a run.
	First      heap.Ref // the first value of the stream
	Result     heap.Ref
	Stopped    bool  // the stream ended with STOP
	Failed     bool  // a loader would have stopped with an error
	FailedAt   int64 // the offset of that instruction
	Full       bool  // the memory budget is exhausted
	Proto      int   // of the last PROTO; below 3, imports are renamed
	Highest    int   // the highest protocol declared
	ProtoFirst bool  // the first instruction is PROTO
	Opcodes    int64 // number of instructions
	Work       int64 // their cost, in units of a cheap instruction; judges add to it
	Resume     int64 // where to search for another pickle after an invalid line, 0 if there was none

	judge Judge
	stack []heap.Ref
	marks []int // heights of the stack at the MARKs
	fence int   // the last of them, 0 if there is none; pop does not go below it
	memo  memo
	older memo      // of the previous stream, which some loaders keep
	outer []context // streams around the current one

	start     int64 // offset of the stream
	declared  int   // the protocol whose instructions are not too new
	protos    int   // number of PROTO instructions
	done      bool
	maxMemory int64 // the memory budget in bytes
	due       int64 // the cost at which limits are checked next
	every     int64 // the interval of these checks
	reused    int   // how often a container was pushed again
	deepest   bool  // depth was reported
	crowded   bool  // the number of MARKs was reported
	far       bool  // a memo index was reported
}

// Limits that no pickler reaches, because it recurses once per level.
const (
	maxDepth = 10_000
	maxMarks = 10_000
)

// New returns a machine for size bytes. Its values and the judge's findings may use maxMemory bytes.
func New(r io.ReaderAt, size, maxMemory int64, j Judge) *Machine {
	return &Machine{Heap: heap.New(r, size), Reader: opcode.NewReader(r, size), maxMemory: maxMemory, judge: j}
}

// Forget removes the values of previous streams.
func (m *Machine) Forget() {
	m.Reset()
	m.memo.reset()
	m.older.reset()
}

// Restart makes the machine read other data.
func (m *Machine) Restart(r io.ReaderAt, size, maxMemory int64) {
	m.Forget()
	m.Heap.Reuse(r)
	m.Reader.Reset(r, size)
	m.maxMemory = maxMemory
}

// Begin prepares the machine for the stream at off.
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

// Used returns the number of bytes in use. The stack counts three times, because growing it copies it.
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

// CostNote is the cost of reporting something, in cheap instructions.
const CostNote = 16

// Fail reports an error at which a loader stops. Only the first is reported; later ones are usually consequences.
func (m *Machine) Fail(rule string, format string, args ...any) {
	if m.Failed {
		return
	}
	m.Report(rule, names.Suspicious, m.Token.Off, format, args...)
	m.judge.Stop(fmt.Sprintf(format, args...))
	m.Failed, m.FailedAt = true, m.Token.Off
	m.done = m.done || m.Guessing // a search continues anyway
}

// refuse reports an error at which a loader stops, but after which the state is known.
func (m *Machine) refuse(rule string, format string, args ...any) {
	m.warn(rule, m.Token.Off, format, args...)
}

// Report passes a fault to the judge unless a loader has already stopped.
func (m *Machine) Report(rule string, level names.Level, off int64, format string, args ...any) {
	if !m.Failed {
		m.Work += CostNote
		m.judge.Note(rule, level, off, format, args...)
	}
}

// warn reports something suspicious.
func (m *Machine) warn(rule string, off int64, format string, args ...any) {
	m.Report(rule, names.Suspicious, off, format, args...)
}

// danger reports something dangerous.
func (m *Machine) danger(rule string, format string, args ...any) {
	m.Report(rule, names.Dangerous, m.Token.Off, format, args...)
}

// newer reports an instruction that is newer than the declared protocol. joblib harmlessly uses one of protocol 5 in
// protocol 4.
func (m *Machine) newer(proto int) {
	level := names.Suspicious
	if m.declared == 4 {
		level = names.Safe
	}
	m.Report(Newer, level, m.Token.Off, "%s at %d needs protocol %d, but the pickle declares %d",
		m.Token.Code, m.Token.Off, proto, m.Proto)
	m.declared = proto
}

// checkDepth reports a value that is nested deeper than any pickler can write.
func (m *Machine) checkDepth(r heap.Ref) {
	if m.At(r).Depth > maxDepth && !m.deepest {
		m.deepest = true
		m.warn(Resource, m.Token.Off, "values are nested more than %d deep", maxDepth)
	}
}

// A context is the state of a stream while a nested one is read.
type context struct {
	stack    []heap.Ref
	marks    []int
	fence    int
	memo     memo
	proto    int
	declared int
}
