// Pickles in the strings of pickles.

package pickle

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

const (
	maxJobs    = 1000    // strings of a pickle that are analysed
	maxDecoded = 1 << 20 // bytes of a string that are decoded
)

// A job is a string that may be a pickle.
type job struct {
	value   heap.Ref
	off     int64 // offset of the string
	r       io.ReaderAt
	size    int64
	loaded  bool    // it is passed to something that may load it
	loader  *global // the function that loads it, if that is allowed
	archive bool    // it is an archive
	decoded bool    // it is not stored literally in the file
}

// Text checks a text with the head b.
func (m *judge) Text(r heap.Ref, b []byte, off, size int64) {
	form := guise.Of(b)
	if form == guise.Nothing || m.Failed {
		return
	}
	j := &job{value: r, off: off, size: size, archive: form == guise.Archive}
	switch {
	case form == guise.Encoded:
		text := b
		if int64(len(b)) < size {
			text = make([]byte, min(size, maxDecoded))
			n, _ := m.Reader.Source().ReadAt(text, off)
			text = text[:n]
		}
		m.addDecoded(j, guise.Decode(text))
		return
	case int64(len(b)) < size:
		j.r = io.NewSectionReader(m.Reader.Source(), off, size)
	default:
		j.r = bytes.NewReader(bytes.Clone(b))
	}
	m.addJob(j)
}

// Decoded checks a text that is not stored literally in the file.
func (m *judge) Decoded(r heap.Ref, b []byte) {
	form := guise.Of(b)
	if form == guise.Nothing || m.Failed {
		return
	}
	j := &job{value: r, off: m.Token.Off, archive: form == guise.Archive}
	if form == guise.Encoded {
		b = guise.Decode(b)
	}
	m.addDecoded(j, bytes.Clone(b))
}

// sniffEncoded checks the bytes that _codecs.encode makes from a str, which is how protocols below 3 store bytes.
func (m *judge) sniffEncoded(r, args heap.Ref) {
	if s, ok := m.Value(args).Item(0).Str(); ok && len(s) >= guise.Least {
		m.Work += int64(len(s)) / 4
		if b := latin1(s); guise.MayBe(b) {
			m.Decoded(r, b)
		}
	}
}

// latin1 encodes s in Latin-1.
func latin1(s string) []byte {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

// addDecoded adds a job for the decoded form of a text if that is a pickle or an archive.
func (m *judge) addDecoded(j *job, b []byte) {
	j.r, j.size, j.decoded = bytes.NewReader(b), int64(len(b)), true
	if f := guise.Of(b); f == guise.Raw || f == guise.Archive {
		j.archive = f == guise.Archive
		m.addJob(j)
	}
}

// addJob adds a job unless there are too many.
func (m *judge) addJob(j *job) {
	if len(m.found.jobs) >= maxJobs {
		if !m.found.skipped {
			m.found.limit(j.off, "only %d strings that may be pickles are analysed", maxJobs)
		}
		m.found.skipped = true
		return
	}
	m.At(j.value).Flags |= heap.Embedded
	m.found.addJob(j)
}

// load records that the texts among the arguments are passed to a function that may load them.
func (m *judge) load(args heap.Value) {
	for arg := range m.look(args).Items() {
		if m.At(arg.Ref).Flags&heap.Embedded != 0 {
			m.found.jobOf[arg.Ref].loaded = true
		}
	}
}

// nest adds a job for bytes that are passed to a loader.
func (m *judge) nest(b heap.Value, loader *global) {
	if m.At(b.Ref).Flags&heap.Embedded != 0 {
		j := m.found.jobOf[b.Ref]
		j.loaded, j.loader = true, loader
		return
	}
	j := &job{value: b.Ref, off: m.Token.Off, loaded: true, loader: loader, decoded: true}
	if c, ok := b.Called(); ok {
		s, _ := c.Args().Item(0).Str()
		latin := latin1(s)
		j.r, j.size = bytes.NewReader(latin), int64(len(latin))
	} else {
		data := b.Data()
		j.r, j.size = data, data.Size()
	}
	m.At(b.Ref).Flags |= heap.Embedded
	m.found.addJob(j)
}

// nested analyses the strings that may be pickles, and their strings.
func (a *analysis) nested() {
	for _, j := range a.all.jobs {
		if a.left <= 0 {
			a.all.limit(j.off, "the string at %d is not analysed: the instruction budget is exhausted", j.off)
			return
		}
		if j.archive {
			a.all.addf(RuleNestedBox, Warning, j.off, "the string at %d is an archive of %d bytes and is not analysed",
				j.off, j.size)
			continue
		}
		a.judgeString(j)
	}
	a.all.jobs = nil
}

// judgeString analyses a string that may be a pickle.
func (a *analysis) judgeString(j *job) {
	o := Options{MaxOpcodes: a.left}
	if a.o != nil {
		o = *a.o
		o.MaxOpcodes, o.Policy, o.MaxStreams, o.NoSweep, o.Search = a.left, nil, 0, false, false
	}
	if a.all.depth >= a.o.maxNesting() {
		a.all.limit(j.off, "strings are nested more than %d deep", a.all.depth)
		return
	}
	if a.inner == nil {
		a.inner = newAnalysis(j.r, j.size, &o, a.all.policy, a.all.depth+1)
	} else {
		a.inner.reuse(j.r, j.size, &o)
	}
	inner := a.inner
	inner.run()
	a.left -= o.MaxOpcodes - inner.left
	worst := inner.all.worst()
	if inner.all.limited {
		a.all.limit(j.off, "the string at %d is not analysed completely: %s", j.off, inner.all.reason)
	}
	switch {
	case j.loaded && (j.loader != nil || inner.end > 0 || worst == Dangerous):
		a.loadString(j, inner.all, worst)
	case inner.end > 0 || worst == Dangerous:
		a.all.addf(RuleEmbedded, Warning, j.off, "the string at %d is a pickle%s; loading does not run it",
			j.off, imported(inner.all))
	}
}

// loadString adds the findings of a string that is passed to something that may load it. The one allowed loader is as
// harmless as its argument.
func (a *analysis) loadString(j *job, inner *findings, worst Verdict) {
	base := j.off
	for i := range inner.list {
		if j.decoded {
			inner.list[i].Offset = 0
		}
	}
	severity := Warning
	if worst == Dangerous {
		severity = Error
	}
	a.all.addf(RuleNested, severity, j.off, "the string at %d is a pickle%s, and is passed to a call",
		j.off, imported(inner))
	if j.loader != nil && worst == Dangerous {
		a.conditional(j.loader).misused = true
	}
	a.all.merge(inner, base)
}

// conditional returns the import that an import of a stream was merged into.
func (a *analysis) conditional(g *global) *global {
	if all := a.all.names[g.key]; all != nil {
		return all
	}
	return g
}

// imported lists up to three imports, the worst first.
func imported(f *findings) string {
	var labels []string
	for _, v := range []Verdict{Dangerous, Suspicious, Safe} {
		for _, g := range f.globals {
			if g.final() == v && len(labels) < 3 {
				labels = append(labels, g.Label())
			}
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return " that imports " + strings.Join(labels, ", ")
}
