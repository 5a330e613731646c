// Pickles: judged by package pickle, and laid out by package torchfile.

package scan

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torchfile"
)

// pickleOptions returns how pickles in the part are judged.
func (p *part) pickleOptions() *pickle.Options {
	return &pickle.Options{Policy: p.Policy, MaxMemory: pickleMemory, MaxReport: p.MaxReport, PersistentID: p.ids}
}

// pickle looks at a part that is a pickle, by its first bytes, its name, or because it
// runs as one.
func (p *part) pickle(head []byte) error {
	if p.formats > 0 && !mayBePickle(head) {
		return nil
	}
	sure := p.formats == 0 && (mayBePickle(head) || p.saysPickle())
	is, err := p.tried(sure)
	if err != nil || !is {
		return err
	}
	g, err := pickle.Load(p.file, p.size, p.pickleOptions())
	if err != nil || sure && alien(g.Report) {
		return err
	}
	p.is("pickle")
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "a pickle is called %s", quoted(p.name))
	}
	p.judged(g.Report, 0, p.size)
	for _, s := range g.Report.Streams {
		p.explain(s.Offset, s.End)
	}
	p.swept = true // by package pickle
	if p.graph != nil {
		p.graph(g)
	}
	return nil
}

// tried says whether the part is to be judged as a pickle. What is not sure to be one
// counts if it runs to its end, or does what no data does by chance before it breaks. A
// checkpoint from before PyTorch 1.6, which its first few instructions tell, is looked
// at right away.
func (p *part) tried(sure bool) (bool, error) {
	const few, many = 16, 100_000 // instructions
	for _, most := range [...]int64{few, many} {
		opts := p.pickleOptions()
		opts.MaxStreams, opts.NoSweep, opts.MaxOpcodes = 1, true, most
		g, err := pickle.Load(p.file, p.size, opts)
		if err != nil {
			return false, err
		}
		runs := len(g.Report.Streams) > 0 && g.Report.Streams[0].Stopped
		switch {
		case runs && torchfile.IsStream(g.Roots()[0]):
			return false, p.stream()
		case sure || runs || acts(g.Report):
			return true, nil
		case len(g.Report.Streams) == 0 || g.Report.Streams[0].Opcodes < few:
			return false, nil // it broke before
		}
	}
	return false, nil
}

// alien says whether a report is of bytes that are no pickle from the first on, and not
// of one that is cut off.
func alien(r *pickle.Report) bool {
	has := func(rule pickle.Rule) bool {
		return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == rule })
	}
	return len(r.Imports) == 0 && has(pickle.RuleNotPickle) && !has(pickle.RuleTruncated)
}

// acts says whether a report has an import that is dangerous, or one that is not known
// to be safe, and is called.
func acts(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Imports, func(im pickle.Import) bool {
		return im.Verdict == pickle.Dangerous || im.Verdict > pickle.Safe && im.Called
	})
}

// stream looks at a checkpoint from before PyTorch 1.6.
func (p *part) stream() error {
	s, err := torchfile.ReadStream(p.file, p.size, p.pickleOptions())
	if err != nil || s == nil {
		return err
	}
	p.is("pytorch-legacy")
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "a checkpoint is called %s", quoted(p.name))
	}
	p.judged(without(s.Graph.Report, pickle.RuleMultiple), 0, s.Graph.Report.End)
	p.faulty(s.Faults)
	p.faulty(torchfile.CheckTensors(s.Graph))
	for i := range s.Blocks {
		if err := p.block(&s.Blocks[i]); err != nil {
			return err
		}
	}
	p.explain(0, s.End)
	return p.behind(s.End, "the checkpoint")
}

// block looks at the numbers of a storage.
func (p *part) block(b *torchfile.Block) error {
	return p.numbers(extent.Span{Begin: b.Begin, End: b.Begin + b.Size}, b.Head)
}

// faulty reports what is wrong with a checkpoint.
func (p *part) faulty(list []torchfile.Fault) {
	for _, f := range list {
		p.add(pickle.Finding{Rule: f.Rule, Severity: Severity(f.Rule), Offset: f.Offset, Message: f.Detail})
	}
}

// visited shows the pickle in the n bytes from off on to who asked for it.
func (p *part) visited(off, n int64) {
	if p.Visit != nil {
		p.Visit(Pickle{p.path, off, n, io.NewSectionReader(p.file, off, n), p.pickleOptions()})
	}
}

// judged takes over a report about the bytes from off on, of which n are pickles.
func (p *part) judged(r *pickle.Report, off, n int64) {
	p.visited(off, n)
	p.takeOver(r, off)
}

// takeOver takes over a report about the bytes from off on.
func (p *part) takeOver(r *pickle.Report, off int64) {
	for _, im := range r.Imports {
		im.Offset += off
		p.imports(Import{How: im.Opcode.String(), Import: im})
	}
	for _, c := range r.Calls {
		c.Offset += off
		p.calls(c)
	}
	for _, f := range r.Findings {
		f.Offset += off
		p.add(f)
	}
	p.report.Omitted += r.Omitted
	p.verdict = max(p.verdict, r.Verdict)
	if !r.Complete {
		p.incomplete("%s", r.Reason)
	}
}
