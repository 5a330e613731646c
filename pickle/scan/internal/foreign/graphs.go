// Formats that have a package each. The part takes over their findings.

package foreign

import (
	"bytes"
	"errors"
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/caffe"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
	"github.com/weightools/safetensors/pickle/scan/internal/onnx"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
	"github.com/weightools/safetensors/pickle/scan/internal/sentencepiece"
	"github.com/weightools/safetensors/pickle/scan/internal/textproto"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// A format is a format of protocol buffers.
type format struct {
	analyze func(*wire.File) (*evidence.Report, error)
	first   []string // the fields with which its text form begins
	encode  func(text []byte) ([][]byte, error)
}

var buffers = [...]format{
	{tfgraph.Analyze, tfgraph.First, tfgraph.Encode},
	{onnx.Analyze, onnx.First, onnx.Encode},
	{caffe.Analyze, caffe.First, caffe.Encode},
}

// Graphs analyzes protocol buffers. They have no magic number, so each part that consists of
// fields is parsed as the messages of all programs.
func (p *Part) Graphs(head []byte) error {
	if err := p.footer(head); err != nil {
		return err
	}
	if filetype.IsText(head) {
		return p.textGraphs(head)
	}
	file := wire.NewFile(p.File, p.Size, p.Spend)
	ok, err := file.Valid()
	if err != nil || !ok {
		return p.limited(err)
	}
	before := p.Formats()
	for i := range buffers {
		r, err := buffers[i].analyze(file)
		if err := p.evidence(r, err, p.File); err != nil {
			return err
		}
	}
	if p.Formats() > before {
		return nil
	}
	r, err := sentencepiece.Analyze(file)
	return p.evidence(r, err, p.File)
}

// textGraphs analyzes graphs in the text form of protocol buffers, and in the syntax of ONNX.
func (p *Part) textGraphs(head []byte) error {
	if onnx.IsSyntax(head) || promise.Extension(p.Name) == ".onnxtxt" {
		return p.onnxSyntax()
	}
	for i := range buffers {
		f := &buffers[i]
		if !textproto.Begins(head, f.first) {
			continue
		}
		if !p.affords(0, p.Size, "text") {
			return nil
		}
		text := make([]byte, p.Size)
		if err := bytesio.ReadFull(p.File, text, 0); err != nil {
			return err
		}
		messages, err := f.encode(text)
		if ext := promise.Extension(p.Name); err != nil && (ext == ".pbtxt" || ext == ".prototxt") {
			p.Unanalysed("it is not a valid graph in text form: %v", err)
		}
		for _, b := range messages {
			if err := p.textGraph(f, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// onnxSyntax analyzes a model in the textual syntax of ONNX.
func (p *Part) onnxSyntax() error {
	if !p.affords(0, p.Size, "text") {
		return nil
	}
	text := make([]byte, p.Size)
	if err := bytesio.ReadFull(p.File, text, 0); err != nil {
		return err
	}
	r, err := onnx.AnalyzeSyntax(text)
	if err != nil && !errors.Is(err, evidence.ErrBudget) {
		p.Unanalysed("it is not a valid model in the syntax of ONNX: %v", err)
		err = nil
	}
	return p.evidence(r, err, p.File)
}

// onnxJSON analyzes a model of ONNX as JSON.
func (p *Part) onnxJSON(v jsonscan.Value) error {
	b, err := onnx.EncodeJSON(v)
	if err != nil {
		p.Unanalysed("it is not a valid model of ONNX in JSON: %v", err)
		return nil
	}
	if !p.Spend(CostJSON * p.Size) {
		p.OverWork(0)
		return nil
	}
	r, err := onnx.Analyze(wire.NewFile(bytes.NewReader(b), int64(len(b)), p.Spend))
	if err := p.limited(err); err != nil || r.Format == "" {
		return err
	}
	p.Rename("onnx-json")
	for i := range r.Findings {
		r.Findings[i].Offset = 0
	}
	return p.reported(r, bytes.NewReader(b))
}

// textGraph analyzes the encoded form of a text.
func (p *Part) textGraph(f *format, b []byte) error {
	r, err := f.analyze(wire.NewFile(bytes.NewReader(b), int64(len(b)), p.Spend))
	if r.Format != "" {
		r.Format += "-text"
	}
	for i := range r.Findings {
		r.Findings[i].Offset = 0 // offsets of the bytes mean nothing in the text
	}
	return p.evidence(r, err, bytes.NewReader(b))
}

// limited reports a spent budget. It returns other errors.
func (p *Part) limited(err error) error {
	if errors.Is(err, evidence.ErrBudget) {
		p.OverWork(0)
		return nil
	}
	return err
}

// evidence takes over what an analyzer found. A part that has another format, too, keeps its
// name if nothing was found.
func (p *Part) evidence(r *evidence.Report, err error, from io.ReaderAt) error {
	if err := p.limited(err); err != nil || r == nil {
		return err
	}
	if r.Format == "" && len(r.Findings) == 0 || p.Formats() > 0 && len(r.Findings)+len(r.Configs)+len(r.Texts) == 0 {
		return nil
	}
	p.Is(r.Format)
	p.Swept()
	return p.reported(r, from)
}

// reported takes over the findings of a report.
func (p *Part) reported(r *evidence.Report, from io.ReaderAt) error {
	for _, f := range r.Findings {
		p.Add(f)
	}
	for i := range r.Texts {
		p.Value(r.Texts[i].Key, r.Texts[i].Value, r.Texts[i].At)
	}
	for _, what := range r.Unanalysed {
		p.Unanalysed("it contains %s", what)
	}
	if r.Incomplete != "" {
		p.Unscanned(0, "%s", r.Incomplete)
	}
	for _, span := range r.Configs {
		if err := p.configAt(extent.Span{Begin: span.Pos, End: span.End}, from); err != nil {
			return err
		}
	}
	return nil
}

// configAt analyzes a range that is a Keras configuration.
func (p *Part) configAt(span extent.Span, from io.ReaderAt) error {
	if !p.affords(span.Begin, span.Len(), "configuration") {
		return nil
	}
	text := make([]byte, span.Len())
	if err := bytesio.ReadFull(from, text, span.Begin); err != nil {
		return err
	}
	c := config.NewReader(config.Lenient(text), span.Begin, keras.Judge{Sink: namer{p, "config"}})
	switch err := c.Value(); {
	case c.TooDeep:
		p.Unscanned(span.Begin, "a configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil:
		p.Find(evidence.RuleBadConfig, span.Begin, "a configuration is invalid JSON: %v", err)
	}
	return nil
}
