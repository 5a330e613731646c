// The main loop: decoding and executing instructions until STOP or a limit.

package machine

import (
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Run executes instructions until STOP, or until one cannot be decoded.
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

// Step executes the current instruction.
func (m *Machine) Step() { handlers[m.Token.Code](m) }

// End ends the run after the current instruction.
func (m *Machine) End() { m.done = true }

// over reports whether a budget is exhausted, and notes it.
func (m *Machine) over() bool {
	switch {
	case m.Work >= m.Budget && m.Guessing:
	case m.Work >= m.Budget:
		m.judge.Limit(m.Reader.Offset(), "the instruction budget is exhausted at %d; the rest was not analyzed",
			m.Reader.Offset())
	case m.Used() > m.maxMemory:
		m.Full = true
		m.judge.Limit(m.Reader.Offset(), "the memory budget of %s is exhausted at %d; the rest was not analyzed",
			wording.Count(m.maxMemory, "byte"), m.Reader.Offset())
	default:
		m.due = min(m.Work+m.every, max(m.Budget, m.Work+1))
		return false
	}
	m.Failed = true
	return true
}

// unreadable reports an instruction that cannot be decoded.
func (m *Machine) unreadable(f opcode.Fault) {
	detail := m.Reader.Describe(f, &m.Token)
	switch f {
	case opcode.FaultRead:
		m.judge.Stop(detail)
	case opcode.FaultTruncated:
		if m.Token.Code.Counted() && m.Token.Off < m.Reader.Size() && m.Token.Num > 1<<31 {
			m.warn(Resource, m.Token.Off, "%s at %d has length %d", m.Token.Code, m.Token.Off, m.Token.Num)
		}
		m.Fail(Truncated, "%s", detail)
	case opcode.FaultLength:
		m.warn(Resource, m.Token.Off, "%s", detail)
		m.Fail(Truncated, "%s", detail)
	default:
		m.Fail(Parse, "%s", detail)
	}
}
