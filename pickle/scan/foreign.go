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
	return &foreign.Part{Sink: foreignSink{p}, File: p.file, Size: p.size, Name: p.name, Deep: p.Deep,
		Most: p.mostSearch()}
}

// graphs analyzes protocol buffers.
func (p *part) graphs(head []byte) error { return p.foreign().Graphs(head) }

// java analyzes serialized Java objects.
func (p *part) java(head []byte) error { return p.foreign().Java(head) }

// A foreignSink is a part as a foreign.Sink, where its methods are described.
type foreignSink struct{ *part }

func (s foreignSink) Is(format string)                           { s.is(format) }
func (s foreignSink) Rename(format string)                       { s.format = format }
func (s foreignSink) Format() string                             { return s.format }
func (s foreignSink) Formats() int                               { return s.formats }
func (s foreignSink) Lookalike(format string)                    { s.lookalike(format) }
func (s foreignSink) Swept()                                     { s.swept = true }
func (s foreignSink) Unanalysed(format string, args ...any)      { s.unanalysed(format, args...) }
func (s foreignSink) OverWork(off int64)                         { s.overWork(off) }
func (s foreignSink) Spend(n int64) bool                         { return s.spend(n) }
func (s foreignSink) Add(f pickle.Finding)                       { s.add(f) }
func (s foreignSink) At(off int64, n int) ([]byte, error)        { return s.at(off, n) }
func (s foreignSink) Sweep(span extent.Span) error               { return s.sweep(span) }
func (s foreignSink) Numbers(span extent.Span, b []byte) error   { return s.numbers(span, b) }
func (s foreignSink) Verdict(module, name string) pickle.Verdict { return s.judgeName(module, name) }
func (s foreignSink) Import(how string, im pickle.Import)        { s.imports(Import{How: how, Import: im}) }

func (s foreignSink) Unscanned(off int64, format string, args ...any) {
	s.unscanned(off, format, args...)
}

func (s foreignSink) OverBudget(off int64, format string, args ...any) {
	s.overBudget(off, format, args...)
}

func (s foreignSink) Find(rule pickle.Rule, off int64, format string, args ...any) {
	s.find(rule, off, format, args...)
}

func (s foreignSink) Configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	s.configures(full, how, off, verdict, rule)
}

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
