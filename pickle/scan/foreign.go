// Formats other than pickle, which package foreign analyzes.

package scan

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
)

// foreign returns the part as package foreign sees it.
func (p *part) foreign() *foreign.Part {
	return &foreign.Part{Sink: foreignSink{p}, File: p.file, Size: p.size, Name: p.name, Kind: p.detected.Kind,
		Deep: p.Deep, Most: p.mostSearch()}
}

// graphs analyzes protocol buffers.
func (p *part) graphs(head []byte) error { return p.foreign().Graphs(head) }

// java analyzes serialized Java objects.
func (p *part) java(head []byte) error { return p.foreign().Java(head) }

// gguf analyzes a GGUF file.
func (p *part) gguf([]byte) error { return p.foreign().GGUF() }

// A foreignSink passes what package foreign finds to the part.
type foreignSink struct{ *part }

// Is implements foreign.Sink.
func (s foreignSink) Is(format string) { s.is(format) }

// Rename implements foreign.Sink.
func (s foreignSink) Rename(format string) { s.format = format }

// Format implements foreign.Sink.
func (s foreignSink) Format() string { return s.format }

// Formats implements foreign.Sink.
func (s foreignSink) Formats() int { return s.formats }

// Lookalike implements foreign.Sink.
func (s foreignSink) Lookalike(format string) { s.lookalike(format) }

// Swept implements foreign.Sink.
func (s foreignSink) Swept() { s.swept = true }

// Unanalysed implements foreign.Sink.
func (s foreignSink) Unanalysed(format string, args ...any) { s.unanalysed(format, args...) }

// OverWork implements foreign.Sink.
func (s foreignSink) OverWork(off int64) { s.overWork(off) }

// Spend implements foreign.Sink.
func (s foreignSink) Spend(n int64) bool { return s.spend(n) }

// Add implements foreign.Sink.
func (s foreignSink) Add(f pickle.Finding) { s.add(f) }

// At implements foreign.Sink.
func (s foreignSink) At(off int64, n int) ([]byte, error) { return s.at(off, n) }

// Sweep implements foreign.Sink.
func (s foreignSink) Sweep(span extent.Span) error { return s.sweep(span) }

// Numbers implements foreign.Sink.
func (s foreignSink) Numbers(span extent.Span, b []byte) error { return s.numbers(span, b) }

// Verdict implements foreign.Sink.
func (s foreignSink) Verdict(module, name string) pickle.Verdict { return s.judgeName(module, name) }

// Import implements foreign.Sink.
func (s foreignSink) Import(how string, im pickle.Import) { s.imports(Import{How: how, Import: im}) }

// Unscanned implements foreign.Sink.
func (s foreignSink) Unscanned(off int64, format string, args ...any) {
	s.unscanned(off, format, args...)
}

// Find implements foreign.Sink.
func (s foreignSink) Find(rule pickle.Rule, off int64, format string, args ...any) {
	s.find(rule, off, format, args...)
}

// Configures implements foreign.Sink.
func (s foreignSink) Configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	s.configures(full, how, off, verdict, rule)
}

// Pickles implements foreign.Sink.
func (s foreignSink) Pickles(kind string, list [][]byte) error {
	for _, b := range list {
		if s.crowded() {
			break
		}
		sub := s.newPart(s.part, kind, bytes.NewReader(b), int64(len(b)))
		sub.loaded = true
		if err := s.inside(sub); err != nil {
			return err
		}
	}
	return nil
}

// Value implements foreign.Sink.
func (s foreignSink) Value(key, text string, off int64) { s.texts().Value(key, text, off) }

// Search implements foreign.Sink.
func (s foreignSink) Search(span extent.Span) error {
	opts := s.pickleOptions()
	opts.Search = true
	r, err := pickle.Analyze(io.NewSectionReader(s.file, span.Begin, span.Len()), span.Len(), opts)
	if err != nil {
		return err
	}
	s.searched(r, span.Begin)
	s.hidden(r, span.Begin)
	return nil
}
