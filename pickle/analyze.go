// Analyze and Load: every pickle in a range of bytes.

package pickle

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Analyze judges the pickles that the size bytes behind r hold, one after another.
// It goes on past errors, and looks for further pickles behind them.
//
// The error is of reading r, never of what was read; the report then holds what
// was found before, and is not Complete.
func Analyze(r io.ReaderAt, size int64, o *Options) (*Report, error) {
	a := newAnalysis(r, size, o, o.policy().compile(), 0)
	a.run()
	return a.report(), a.m.Reader.Err()
}

// Load judges as Analyze does, and keeps what loading would have built. It takes
// about 450 bytes of memory for each tensor of a checkpoint.
func Load(r io.ReaderAt, size int64, o *Options) (*Graph, error) {
	a := newAnalysis(r, size, o, o.policy().compile(), 0)
	a.keep = true
	a.run()
	if !a.keep {
		a.m.Forget()
	}
	return &Graph{Report: a.report(), roots: a.roots, heap: a.m.Heap}, a.m.Reader.Err()
}

// costStream is what it costs to begin a stream, in cheap instructions.
const costStream = 40

// held returns how many bytes the streams that are over take.
func (a *analysis) held() int64 { return a.all.bytes + 12*int64(len(a.roots)) }

// drop gives up to keep values, for which there is no memory left: what follows is still
// worth to be looked at.
func (a *analysis) drop() {
	a.keep = false
	clear(a.roots) // they are unknown now
	a.m.Result = heap.Unknown
}

// forgetAfter is how many values of streams that are over are kept at most, if
// nobody wants them.
const forgetAfter = 1 << 16

// An analysis goes through the streams of a range of bytes.
type analysis struct {
	o       *Options
	m       *judge
	all     *findings
	keep    bool // whether the values are kept
	streams []Stream
	roots   []heap.Ref
	omitted int       // streams that are not listed
	end     int64     // after the last stream
	gap     int64     // where bytes begin that belong to no stream, -1 if there are none
	left    int64     // how many instructions may still be read
	guesses int64     // and how many while searching
	gaveUp  bool      // whether too many attempts came to nothing
	tried   int64     // where the longest attempt while searching ended
	inner   *analysis // of the strings, one after another
}

// newAnalysis returns an analysis of size bytes, which are a string within depth
// others.
func newAnalysis(r io.ReaderAt, size int64, o *Options, policy *names.Policy, depth int) *analysis {
	return &analysis{o: o, m: newJudge(r, size, o), all: newFindings(policy, depth, o.maxReport()), gap: -1,
		left: o.maxOpcodes(), guesses: mostGuesses(size)}
}

// reuse makes the analysis one of other bytes.
func (a *analysis) reuse(r io.ReaderAt, size int64, o *Options) {
	m := a.m
	m.Restart(r, size, o.maxMemory())
	a.o, m.o, a.streams, a.omitted, a.end, a.gap = o, o, nil, 0, 0, -1
	a.all = newFindings(a.all.policy, a.all.depth, o.maxReport())
	a.left, a.guesses, a.tried, a.gaveUp = o.maxOpcodes(), mostGuesses(size), 0, false
}

// run goes through all streams, and then through the pickles within strings.
func (a *analysis) run() {
	size := a.m.Reader.Size()
	if size == 0 {
		a.all.addf(RuleNotPickle, Warning, 0, "there are no bytes")
		a.all.stop("there are no bytes")
	}
	off, searching := int64(0), a.o != nil && a.o.Search
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
		a.all.limit(off, "the budget of instructions is spent at %d, and what follows was not looked at", off)
	}
	a.closeGap(size)
	a.nested()
	a.crossCheck()
}

// over is whether no more streams are to be read.
func (a *analysis) over() bool {
	limit := 0
	if a.o != nil {
		limit = a.o.MaxStreams
	}
	return limit > 0 && len(a.streams)+a.omitted >= limit || a.left <= 0 || a.m.Reader.Err() != nil
}

// An attempt is what came of reading a stream.
type attempt struct {
	Stream
	found  *findings
	result heap.Ref
	fault  opcode.Fault
	failed bool
	proto  bool  // whether it begins with PROTO
	next   int64 // where to go on
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
	t.fault = m.Run()
	m.escapes()
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

// readAgain reads the stream as other loaders do, if they read it otherwise, and
// adds what is only found so.
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

// other reads a stream in another way, and adds the imports that are not in it
// otherwise, and what is dangerous.
func (a *analysis) other(t *attempt, set func()) {
	m := a.m
	found := newFindings(a.all.policy, a.all.depth, a.all.most)
	m.begin(t.Offset, found)
	m.Guessing, m.Budget, m.Held = true, a.left, a.held()+t.found.bytes
	set()
	m.Run()
	a.left -= m.Work + costStream
	for _, g := range found.globals {
		if t.found.names[g.key] == nil && (g.Verdict == Dangerous || m.Reader.Losing()) {
			t.found.keep(g, g.key)
		}
	}
	for i, n := range found.list {
		if n.Severity == Error && !t.found.has(found.alike[i], n.Offset) {
			t.found.addAlike(found.alike[i], n)
		}
	}
	for _, c := range found.calls {
		if c.Verdict == Dangerous {
			t.found.mergeCall(c)
		}
	}
	for _, j := range found.jobs {
		if j.loaded && !slices.ContainsFunc(t.found.jobs, func(k *job) bool { return k.off == j.off }) {
			t.found.jobs = append(t.found.jobs, j)
		}
	}
	m.rawAt = -1
}

// credible is whether an attempt read a pickle, and not bytes that happen to look
// like one. Where another pickle ends, any that has no fault is one, and any that
// begins as one; elsewhere it has to import something as well. Whatever imports
// what is dangerous is one.
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
	return plain || t.proto && t.Opcodes > 1
}

// alien is whether the bytes are not meant to be a pickle: they begin as none, end
// as none, and import nothing.
func (t *attempt) alien() bool {
	return t.failed && !t.Stopped && !t.proto && len(t.found.globals) == 0 && t.fault != opcode.FaultRead &&
		(t.fault != opcode.FaultTruncated || t.Opcodes == 0 || t.found.list[0].Rule != RuleTruncated)
}

// notAPickle reports that the bytes are none. That they end too early is said as
// well, for the beginning of a pickle may look like anything.
func (a *analysis) notAPickle(t *attempt) {
	a.all.addf(RuleNotPickle, Warning, 0, "the bytes are no pickle: %s", t.found.reason)
	if t.fault == opcode.FaultTruncated {
		a.all.merge(t.found, 0)
	}
	a.all.stop(t.found.reason)
}

// accept adds what an attempt found.
func (a *analysis) accept(t *attempt) {
	a.closeGap(t.Offset)
	a.all.merge(t.found, 0)
	a.all.jobs = append(a.all.jobs, t.found.jobs...)
	if len(a.streams) == 1 {
		a.all.addf(RuleMultiple, Note, t.Offset, "another pickle begins at %d", t.Offset)
	}
	if len(a.streams) < a.o.maxReport() {
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

// skip notes that the bytes at off belong to no stream, if they come after the
// end of one. What comes after a fault is accounted for by it.
func (a *analysis) skip(off int64, searched bool) {
	if !searched {
		a.gap = off
	}
}

// closeGap reports the bytes that belong to no stream, if there are any before
// off.
func (a *analysis) closeGap(off int64) {
	if a.gap >= 0 {
		a.all.addf(RuleTrailing, Warning, a.gap, "%s at %d belong to no pickle", wording.Count(off-a.gap, "byte"), a.gap)
	}
	a.gap = -1
}

// crossCheck judges what only all streams together show: extension codes where the
// registry is in the pickle's hands.
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
			a.all.addf(RuleExtension, Error, g.Offset, "%s is imported by a pickle that changes the registry", g.Name)
		}
	}
}

// report makes the report.
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
		if a.all.noPlace(len(r.Imports), g.Verdict) {
			r.Omitted++
		} else {
			r.Imports = append(r.Imports, g.Import)
		}
		if g.Verdict != Safe && g.Rule != RuleExtension {
			a.all.addf(g.Rule, Severity(g.Verdict), g.Offset, "%s is imported: %s", g.Label(), g.Why())
		}
	}
	r.Findings = a.all.sorted()
	r.Omitted += a.all.omitted + a.omitted
	r.Spent, r.Memory = a.o.maxOpcodes()-a.left, a.held()
	if a.keep {
		r.Memory += a.m.Heap.Memory()
	}
	return r
}
