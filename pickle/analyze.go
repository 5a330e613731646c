// Analyze and Load: the analysis of all pickles in a range of bytes.

package pickle

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Analyze analyzes all pickles in the first size bytes of r. It continues after errors and searches the rest for more
// pickles.
//
// The error is a read error, never one of the contents. The report then has the findings so far and is not Complete.
func Analyze(r io.ReaderAt, size int64, o *Options) (*Report, error) {
	a := beginAnalysis(r, size, o)
	a.run()
	return a.report(), a.m.Reader.Err()
}

// Load is like Analyze and also keeps the values that loading would create. It uses about 450 bytes of memory for each
// tensor of a checkpoint.
func Load(r io.ReaderAt, size int64, o *Options) (*Graph, error) {
	a := beginAnalysis(r, size, o)
	a.keep = true
	a.run()
	if !a.keep {
		a.m.Forget()
	}
	return &Graph{Report: a.report(), roots: a.roots, heap: a.m.Heap}, a.m.Reader.Err()
}

// run processes all streams, and then the pickles in strings.
func (a *analysis) run() {
	size := a.m.Reader.Size()
	if size == 0 {
		a.all.addf(RuleNotPickle, Warning, 0, "the file is empty")
		a.all.stop("the file is empty")
	}
	off, searching := int64(0), a.o.Search
	for off < size && !a.over() {
		if searching {
			if off = a.head(off); off >= size {
				break
			}
		}
		t := a.attempt(off, searching)
		switch first := off == 0 && !searching; {
		case first && t.alien():
			a.notAPickle(t)
			off, searching = 1, true
		case first || t.credible(searching):
			a.accept(t)
			off, searching = t.next, !t.Stopped
		default:
			a.skip(off, searching)
			off, searching = off+1, true
		}
	}
	if off < size && a.left <= 0 {
		a.all.limit(off, "the instruction budget is exhausted at %d; the rest was not analyzed", off)
	}
	a.closeGap(size)
	a.nested()
	a.crossCheck()
}

// over reports whether to stop reading streams.
func (a *analysis) over() bool {
	limit := a.o.MaxStreams
	return limit > 0 && len(a.streams)+a.omitted >= limit || a.left <= 0 || a.m.Reader.Err() != nil
}

// attempt reads the stream at off.
func (a *analysis) attempt(off int64, guessing bool) *attempt {
	m := a.m
	if !a.keep && m.Size() > forgetAfter {
		m.Forget()
	}
	t := &attempt{found: newFindings(a.all.policy, a.all.depth, a.all.most)}
	m.begin(off, t.found)
	m.Guessing, m.Budget, m.Held = guessing, a.left, a.held()
	if guessing && off < a.tried {
		m.Budget, t.found.most = min(a.left, guessLength), guessMost
	}
	first := opcode.Code(0)
	if b := m.Reader.Peek(1); len(b) > 0 {
		first = opcode.Code(b[0])
	}
	t.fault = m.Run()
	t.cut = t.fault == opcode.FaultTruncated &&
		(first == opcode.Proto || len(t.found.list) > 0 && t.found.list[0].Rule == RuleTruncated)
	m.escapes(t.fault == opcode.FaultTruncated)
	if m.arrays.Changed() {
		m.corrupts("the pickle adds fields to a dtype after its state was set")
	}
	m.CheckExpansion()
	if a.keep && m.Full {
		a.drop()
	}
	a.left -= m.Work + costStream
	if guessing {
		a.guesses -= m.Work + costStream
		a.tried = max(a.tried, m.Reader.Offset())
	}
	t.Stream = Stream{Offset: off, End: m.Reader.Offset(), Proto: m.Highest, Opcodes: m.Opcodes, Stopped: m.Stopped}
	t.result, t.failed, t.proto, t.next = m.Result, m.Failed, m.ProtoFirst, m.Reader.Offset()
	t.unread = m.Failed && m.FailedAt == off && first == opcode.PersID
	if !m.Stopped {
		t.result = heap.Unknown
		t.next = max(m.Token.Off, off) + 1
		t.End = t.next - 1
		if m.Resume > 0 {
			t.next = min(t.next, m.Resume)
		}
	}
	a.readAgain(t)
	return t
}

// readAgain reads the stream as other loaders do, if they would read it differently, and adds the new findings.
func (a *analysis) readAgain(t *attempt) {
	m := a.m
	if off, how := m.Reader.Crossed(); how != "" {
		t.found.addf(RuleFrame, Warning, off, "%s", how)
		a.other(t, m.Reader.Lose)
	}
	if m.rawAt >= 0 {
		a.other(t, func() { m.plain = true })
	}
}

// other reads a stream in another way. It adds imports that were not found before, and everything dangerous.
func (a *analysis) other(t *attempt, set func()) {
	m := a.m
	found := newFindings(a.all.policy, a.all.depth, a.all.most)
	m.begin(t.Offset, found)
	m.Guessing, m.Budget, m.Held = true, a.left, a.held()+t.found.bytes
	set()
	m.Run()
	a.left -= m.Work + costStream
	if m.Work >= m.Budget || found.limited {
		t.found.limit(t.Offset, "the budget is exhausted at %d, where another loader would read on", m.Reader.Offset())
	}
	for _, g := range found.globals {
		if t.found.names[g.key] == nil && (g.Verdict == Dangerous || m.Reader.Losing()) {
			t.found.keep(g, g.key)
		}
	}
	for i, n := range found.list {
		if n.Severity == Error && !t.found.has(found.keys[i], n.Offset) {
			t.found.add(found.keys[i], n)
		}
	}
	for _, c := range found.calls {
		if c.Verdict == Dangerous {
			t.found.mergeCall(c)
		}
	}
	for _, j := range found.jobs {
		if j.loaded && !slices.ContainsFunc(t.found.jobs, func(k *job) bool { return k.Offset == j.Offset }) {
			t.found.jobs = append(t.found.jobs, j)
		}
	}
	m.rawAt = -1
}

// credible reports whether an attempt found a pickle and not bytes that resemble one. Anything with a dangerous import
// counts. At the end of another pickle, so does a stream without faults or with PROTO; elsewhere it must also import
// something.
func (t *attempt) credible(searched bool) bool {
	for _, g := range t.found.globals {
		if g.Verdict == Dangerous {
			return true
		}
	}
	plain := t.Stopped && !t.failed
	if searched {
		return plain && (t.proto && t.Opcodes >= guessLeast || len(t.found.globals) > 0) && !t.found.extended()
	}
	return plain || t.proto && t.Opcodes > 1 || t.cut
}

// alien reports whether the data is not meant to be a pickle: it does not start or end like one, imports nothing, and
// fails before a budget is spent; or it starts with an ID that no loader reads, as zip archives do, and what follows is
// not dangerous.
func (t *attempt) alien() bool {
	if !t.failed || t.found.limited {
		return false
	}
	if t.unread && t.fault == opcode.FaultNone && t.found.worst() < Dangerous {
		return true
	}
	return !t.Stopped && !t.proto && len(t.found.globals) == 0 && t.fault != opcode.FaultRead &&
		(t.fault != opcode.FaultTruncated || t.Opcodes == 0 || t.found.list[0].Rule != RuleTruncated)
}

// notAPickle reports that the data is not a pickle. If it is truncated, that is reported too, because the start of a
// pickle can look like anything.
func (a *analysis) notAPickle(t *attempt) {
	a.all.addf(RuleNotPickle, Warning, 0, "the file is not a pickle: %s", t.found.reason)
	if t.fault == opcode.FaultTruncated {
		a.all.merge(t.found, 0)
	}
	a.all.stop(t.found.reason)
}

// accept adds the findings of an attempt.
func (a *analysis) accept(t *attempt) {
	a.closeGap(t.Offset)
	a.all.merge(t.found, 0)
	a.all.jobs = append(a.all.jobs, t.found.jobs...)
	if len(a.streams) == 1 {
		a.all.addf(RuleMultiple, Note, t.Offset, "another pickle starts at %d", t.Offset)
	}
	if len(a.streams) < a.o.MaxReport {
		a.streams = append(a.streams, t.Stream)
	} else {
		a.omitted++
	}
	if a.keep || len(a.roots) > 0 {
		a.roots = append(a.roots, t.result)
	}
	if t.Stopped {
		a.end = t.End
	}
}

// skip records that the byte at off is outside any stream if it follows the end of one. Bytes after a fault are covered
// by the fault.
func (a *analysis) skip(off int64, searched bool) {
	if !searched {
		a.gap = off
	}
}

// closeGap reports the bytes before off that are outside any stream.
func (a *analysis) closeGap(off int64) {
	if a.gap >= 0 {
		a.all.addf(RuleTrailing, Warning, a.gap, "no pickle contains the %s at %d",
			wording.Count(off-a.gap, "byte"), a.gap)
	}
	a.gap = -1
}

// crossCheck finds what only all streams together show: extension codes, if a pickle can change the registry.
func (a *analysis) crossCheck() {
	var codes []*global
	touched := false
	for _, g := range a.all.globals {
		if g.Rule == RuleExtension {
			codes = append(codes, g)
		}
		touched = touched || g.ResolvedModule == "copyreg" || g.Module == "copy_reg"
	}
	for _, g := range codes {
		if touched {
			g.Verdict = Dangerous
			a.all.addf(RuleExtension, Error, g.Offset, "%s is imported by a pickle that modifies the registry", g.Name)
		}
	}
}

// report returns the report.
func (a *analysis) report() *Report {
	if err := a.m.Reader.Err(); err != nil {
		a.all.stop(err.Error())
	}
	r := &Report{Streams: a.streams, Calls: a.all.calls, End: a.end, policy: a.all.policy}
	r.Reason, r.Complete = a.all.reason, a.all.reason == ""
	r.Verdict = a.all.worst()
	if !r.Complete {
		r.Verdict = max(r.Verdict, Suspicious)
	}
	for _, g := range a.all.globals {
		if v := g.final(); v != g.Verdict {
			g.Verdict, g.Rule, g.Entry = v, RuleResolved, ""
		}
		if a.all.listFull(len(r.Imports), g.Verdict) {
			r.Omitted++
		} else {
			r.Imports = append(r.Imports, g.Import)
		}
		if g.Verdict != Safe && g.Rule != RuleExtension {
			a.all.addf(g.Rule, g.Verdict.severity(), g.Offset, "%s is imported: %s", g.Label(), g.Why())
		}
	}
	r.Findings = a.all.sorted()
	r.Omitted += a.all.omitted + a.omitted
	r.Spent, r.Memory = a.o.MaxOpcodes-a.left, a.held()
	if a.keep {
		r.Memory += a.m.Heap.Memory()
	}
	return r
}
