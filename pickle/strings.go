// Strings that may contain pickles.

package pickle

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

const (
	maxJobs    = 1000    // strings of a pickle that are analyzed
	maxDecoded = 1 << 20 // bytes of a string that are decoded
)

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
		if b := guise.Latin1(s); guise.MayBe(b) {
			m.Decoded(r, b)
		}
	}
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
			m.found.limit(j.off, "only %d strings that may be pickles are analyzed", maxJobs)
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
		latin := guise.Latin1(s)
		j.r, j.size = bytes.NewReader(latin), int64(len(latin))
	} else {
		data := b.Data()
		j.r, j.size = data, data.Size()
	}
	m.At(b.Ref).Flags |= heap.Embedded
	m.found.addJob(j)
}
