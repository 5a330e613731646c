// Pickles: judged by package pickle, and laid out by package torchfile.

package scan

import (
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
	sure := mayBePickle(head)
	if !sure && p.formats > 0 {
		return nil
	}
	opts := p.pickleOptions()
	opts.MaxStreams, opts.NoSweep = 1, true
	if !sure && !p.saysPickle() {
		opts.MaxOpcodes = 100_000 // a program of a stranger's, as which only chance reads
	}
	g, err := pickle.Load(p.file, p.size, opts)
	if err != nil {
		return err
	}
	runs := len(g.Report.Streams) > 0 && g.Report.Streams[0].Stopped
	if !runs && !dangerous(g.Report) && (p.formats > 0 || !sure && !p.saysPickle() || alien(g.Report)) {
		return nil
	}
	if roots := g.Roots(); runs && torchfile.IsStream(roots[0]) {
		return p.stream()
	}
	p.is("pickle")
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "a pickle is called %s", quoted(p.name))
	}
	if !runs || g.Report.End < p.size || opts.MaxOpcodes > 0 {
		if g, err = pickle.Load(p.file, p.size, p.pickleOptions()); err != nil {
			return err
		}
	}
	p.judged(g.Report, 0)
	for _, s := range g.Report.Streams {
		p.explain(s.Offset, s.End)
	}
	p.swept = true // by package pickle
	if p.graph != nil {
		p.graph(g)
	}
	return nil
}

// alien says whether a report is of bytes that are no pickle from the first on.
func alien(r *pickle.Report) bool {
	return len(r.Imports) == 0 && slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == pickle.RuleNotPickle })
}

// dangerous says whether a report has a dangerous import.
func dangerous(r *pickle.Report) bool {
	for i := range r.Imports {
		if r.Imports[i].Verdict == pickle.Dangerous {
			return true
		}
	}
	return false
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
	p.judged(s.Graph.Report, 0)
	p.faulty(s.Faults)
	p.faulty(torchfile.CheckTensors(s.Graph))
	for i := range s.Blocks {
		if err := p.block(&s.Blocks[i]); err != nil {
			return err
		}
	}
	p.explain(0, s.End)
	return nil
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

// judged takes over a report about the bytes from off on.
func (p *part) judged(r *pickle.Report, off int64) {
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
