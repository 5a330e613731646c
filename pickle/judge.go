// The judge: what is thought of what the machine does.

package pickle

import (
	"io"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/machine"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A judge is told by a machine what a loader would do, and writes down what it finds.
type judge struct {
	*machine.Machine
	o     *Options
	found *findings
	plain bool  // whether to take no notice of raw arrays, as loaders other than joblib's do
	rawAt int64 // where the first raw array begins, -1 if there is none
}

// newJudge returns a judge of size bytes, with a machine.
func newJudge(r io.ReaderAt, size int64, o *Options) *judge {
	m := &judge{o: o}
	m.Machine = machine.New(r, size, o.maxMemory(), m)
	return m
}

// begin makes the judge and the machine ready for the stream at off.
func (m *judge) begin(off int64, found *findings) {
	m.Machine.Begin(off)
	m.found, m.plain, m.rawAt = found, false, -1
}

// Note keeps what the machine notes.
func (m *judge) Note(rule string, level names.Level, off int64, format string, args ...any) {
	m.found.addf(Rule(rule), Severity(level), off, format, args...)
}

// Stop keeps why not everything was seen.
func (m *judge) Stop(reason string) { m.found.stop(reason) }

// Limit keeps a limit that was met.
func (m *judge) Limit(off int64, format string, args ...any) { m.found.limit(off, format, args...) }

// Taken returns how many bytes what was found takes.
func (m *judge) Taken() int64 { return m.found.bytes }

// The costs of what takes longer than a cheap instruction, in that of one.
const (
	costSummary = 48
	costName    = 100 // a name that is new, and has to be judged
)

// summary returns a value as part of a message.
func (m *judge) summary(r heap.Ref) string {
	m.Work += costSummary
	return m.Value(r).Summary()
}

// look counts the cost of going through what is in v, and returns v. What is read once
// has paid for itself; what a pickle refers to can be gone through again and again.
func (m *judge) look(v heap.Value) heap.Value {
	m.Work += v.Len() / 2
	return v
}

// fail notes an error after which a loader reads no further.
func (m *judge) fail(rule Rule, format string, args ...any) {
	m.Machine.Fail(string(rule), format, args...)
}

// refuse notes an error after which a loader reads no further, but of which the
// consequences are known.
func (m *judge) refuse(rule Rule, format string, args ...any) {
	m.warn(rule, m.Token.Off, format, args...)
}

// warn notes something that makes the pickle suspicious.
func (m *judge) warn(rule Rule, off int64, format string, args ...any) {
	m.Report(string(rule), names.Suspicious, off, format, args...)
}

// danger notes something that makes the pickle dangerous.
func (m *judge) danger(rule Rule, format string, args ...any) {
	m.Report(string(rule), names.Dangerous, m.Token.Off, format, args...)
}
