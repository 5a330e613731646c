// The judge, which turns the reports of the machine into findings.

package pickle

import (
	"io"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/machine"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A judge implements machine.Judge. It collects findings about what a loader would do.
type judge struct {
	*machine.Machine
	o     *Options
	found *findings
	plain bool  // read raw arrays as instructions, as loaders other than joblib's do
	rawAt int64 // offset of the first raw array, -1 if there is none

	arrays arrays.Table       // the dtypes of the stream
	widths map[heap.Ref]int64 // the number of features of each tree and model of scikit-learn
}

// newJudge returns a judge, with its machine, for size bytes.
func newJudge(r io.ReaderAt, size int64, o *Options) *judge {
	m := &judge{o: o}
	m.Machine = machine.New(r, size, o.MaxMemory, m)
	m.arrays = m.newTable()
	return m
}

// begin prepares the judge and the machine for the stream at off.
func (m *judge) begin(off int64, found *findings) {
	m.Machine.Begin(off)
	m.found, m.plain, m.rawAt = found, false, -1
	m.arrays.Reset()
	m.widths = nil
}

// Note implements machine.Judge.
func (m *judge) Note(rule string, level names.Level, off int64, format string, args ...any) {
	m.found.addf(Rule(rule), Severity(level), off, format, args...)
}

// Stop implements machine.Judge.
func (m *judge) Stop(reason string) { m.found.stop(reason) }

// Limit implements machine.Judge.
func (m *judge) Limit(off int64, format string, args ...any) { m.found.limit(off, format, args...) }

// Taken implements machine.Judge.
func (m *judge) Taken() int64 { return m.found.bytes + m.arrays.Memory() + 50*int64(len(m.widths)) }

// Costs in cheap instructions.
const (
	costSummary = 48
	costName    = 100 // checking a new name
)

// summary returns a description of a value for messages.
func (m *judge) summary(r heap.Ref) string {
	m.Work += costSummary
	return m.Value(r).Summary()
}

// look charges for reading the contents of v, and returns v. A pickle pays for data once but can refer to it many
// times.
func (m *judge) look(v heap.Value) heap.Value {
	m.Work += v.Len() / 2
	return v
}

// fail reports an error at which a loader stops.
func (m *judge) fail(rule Rule, format string, args ...any) {
	m.Machine.Fail(string(rule), format, args...)
}

// refuse reports an error at which a loader stops, but after which the state is known.
func (m *judge) refuse(rule Rule, format string, args ...any) {
	m.warn(rule, m.Token.Off, format, args...)
}

// warn reports something suspicious.
func (m *judge) warn(rule Rule, off int64, format string, args ...any) {
	m.Report(string(rule), names.Suspicious, off, format, args...)
}

// danger reports something dangerous.
func (m *judge) danger(rule Rule, format string, args ...any) {
	m.Report(string(rule), names.Dangerous, m.Token.Off, format, args...)
}
