// Formats other than pickle, which packages of their own analyze: graphs, tables, pictures and others.

package scan

import (
	"bytes"
	"errors"
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
	"github.com/weightools/safetensors/pickle/scan/internal/picture"
)

// foreign returns the part as package foreign sees it. The part itself receives what is found.
func (p *part) foreign() *foreign.Part {
	return &foreign.Part{Sink: p, File: p.file, Size: p.size, Name: p.name, Kind: p.detected.Kind,
		Deep: p.Deep, Most: p.mostSearch()}
}

// graphs analyzes protocol buffers.
func (p *part) graphs(head []byte) error { return p.foreign().Graphs(head) }

// java analyzes serialized Java objects.
func (p *part) java(head []byte) error { return p.foreign().Java(head) }

// gguf analyzes a GGUF file.
func (p *part) gguf([]byte) error { return p.foreign().GGUF() }

// Rename implements foreign.Sink.
func (p *part) Rename(format string) { p.format = format }

// Format implements foreign.Sink.
func (p *part) Format() string { return p.format }

// Formats implements foreign.Sink.
func (p *part) Formats() int { return p.formats }

// Swept implements foreign.Sink.
func (p *part) Swept() { p.swept = true }

// Import implements foreign.Sink.
func (p *part) Import(how string, im pickle.Import) { p.imports(Import{How: how, Import: im}) }

// Pickles implements foreign.Sink.
func (p *part) Pickles(kind string, list [][]byte) error {
	for _, b := range list {
		if p.crowded() {
			break
		}
		sub := p.newPart(p, kind, bytes.NewReader(b), int64(len(b)))
		sub.loaded = true
		if err := p.inside(sub); err != nil {
			return err
		}
	}
	return nil
}

// Value implements foreign.Sink.
func (p *part) Value(key, text string, off int64) { p.texts().Value(key, text, off) }

// SearchAll implements foreign.Sink.
func (p *part) SearchAll(span extent.Span) error {
	opts := p.pickleOptions()
	opts.Search = true
	r, err := pickle.Analyze(io.NewSectionReader(p.file, span.Begin, span.Len()), span.Len(), opts)
	if err != nil {
		return err
	}
	p.searched(r, span.Begin)
	p.hidden(r, span.Begin)
	return nil
}

// picture analyzes a picture. It is safe if all bytes belong to it: no loader runs a picture, and
// the readings that ignore what a file is are tried on every part.
func (p *part) picture(t filetype.Type) error {
	p.Is(string(t.Kind))
	p.Lookalike(t.Kind.Name())
	p.swept = true
	end, err := picture.End(t.Kind, p.file, p.size, func(n int64) bool { return p.Spend(1 + n/perInstr) })
	var broken *picture.StructureError
	switch {
	case errors.Is(err, evidence.ErrBudget):
		p.OverWork(end)
		return nil
	case errors.As(err, &broken):
		p.Unanalysed("it begins like %s, but %s; the rest is not analyzed", t, broken)
	case err != nil:
		return err
	}
	rest := extent.Span{Begin: end, End: p.size}
	if rest.Len() == 0 {
		return nil
	}
	if err == nil {
		p.Unanalysed("it is %s, and %s follow the picture, which are not analyzed", t, bytesOf(rest.Len()))
	}
	return p.Sweep(rest)
}
