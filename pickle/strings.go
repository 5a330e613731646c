// Strings that may contain pickles.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/embedded"
	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// maxJobs is the maximum number of strings of a pickle that are analyzed.
const maxJobs = 1000

// Text checks a text with the head b.
func (m *judge) Text(r heap.Ref, b []byte, off, size int64) {
	if m.Failed {
		return
	}
	if t, ok := embedded.Stored(m.Reader.Source(), b, off, size); ok {
		m.addJob(&job{Text: t, value: r})
	}
}

// Decoded checks a text that is not stored literally in the file.
func (m *judge) Decoded(r heap.Ref, b []byte) {
	if m.Failed {
		return
	}
	if t, ok := embedded.Written(b, m.Token.Off); ok {
		m.addJob(&job{Text: t, value: r})
	}
}

// sniffEncoded checks the bytes that _codecs.encode makes from a str, which is how protocols below 3 store bytes.
func (m *judge) sniffEncoded(r, args heap.Ref) {
	if s, ok := m.Value(args).Item(0).Str(); ok && len(s) >= guise.Least {
		m.Work += int64(len(s)) / 4
		if b := guise.Latin1(s); guise.MayBe(b) {
			m.Decoded(r, b)
		}
	}
}

// addJob adds a job unless there are too many.
func (m *judge) addJob(j *job) {
	if len(m.found.jobs) >= maxJobs {
		if !m.found.skipped {
			m.found.limit(j.Offset, "only %d strings that may be pickles are analyzed", maxJobs)
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
	m.At(b.Ref).Flags |= heap.Embedded
	m.found.addJob(&job{Text: embedded.Loaded(b, m.Token.Off), value: b.Ref, loaded: true, loader: loader})
}
