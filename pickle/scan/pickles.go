// Pickles, and PyTorch checkpoints that consist of several.

package scan

import (
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// pickle analyzes a part that is a pickle by its first bytes or its name, or because it can be
// executed as one.
func (p *part) pickle(head []byte) error {
	if p.formats > 0 && !mayBePickle(head) {
		return nil
	}
	sure := p.formats == 0 && (mayBePickle(head) || p.saysPickle())
	g, err := p.tried(sure)
	if err != nil || g == nil {
		return err
	}
	if g.Report.End < p.size || !g.Report.Complete {
		if g, err = pickle.Load(p.file, p.size, p.pickleOptions()); err != nil {
			return err
		}
		p.paid(g.Report)
	}
	if sure && alien(g.Report) {
		return nil
	}
	p.is("pickle")
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "a pickle is named %s", quoted(p.name))
	}
	p.takeOver(g.Report, 0)
	for _, s := range g.Report.Streams {
		p.explain(s.Offset, s.End)
	}
	p.swept = true // package pickle did
	if p.graph != nil {
		p.graph(g)
	}
	g = nil // frees memory: Visit may load the pickle again
	p.visited(0, p.size)
	return nil
}

// tried returns the first pickle of the part, or nil if the part is not a pickle. Without
// sure, a pickle must run to its end or have a telling import. Legacy PyTorch checkpoints,
// which the first few instructions reveal, are analyzed here.
func (p *part) tried(sure bool) (*pickle.Graph, error) {
	const few, many = 1000, 100_000 // instructions
	for _, most := range [...]int64{few, many} {
		opts := p.pickleOptions()
		opts.MaxStreams, opts.NoSweep, opts.MaxOpcodes = 1, true, min(most, opts.MaxOpcodes)
		g, err := pickle.Load(p.file, p.size, opts)
		if err != nil {
			return nil, err
		}
		p.spend(g.Report.Spent)
		runs := len(g.Report.Streams) > 0 && g.Report.Streams[0].Stopped && !stillborn(g.Report)
		switch {
		case runs && torchfile.IsStream(g.Roots()[0]):
			return nil, p.stream()
		case sure || runs || acts(g.Report):
			return g, nil
		case g.Report.Spent < few:
			return nil, nil // it failed before
		}
	}
	return nil, nil
}

// alien reports whether the bytes of a report are not a pickle at all, rather than a truncated
// one.
func alien(r *pickle.Report) bool {
	has := func(rule pickle.Rule) bool {
		return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == rule })
	}
	return len(r.Imports) == 0 && has(pickle.RuleNotPickle) && !has(pickle.RuleTruncated)
}

// stillborn reports whether the first instruction fails because the stack is empty. Python
// source often begins with "import ", which is an INST without a MARK.
func stillborn(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool {
		return f.Rule == pickle.RuleUnderflow &&
			f.Offset == 0
	})
}

// acts reports whether a report has a dangerous import, or one that is called and not known
// to be safe.
func acts(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Imports, func(im pickle.Import) bool {
		return im.Verdict == pickle.Dangerous || im.Verdict > pickle.Safe && im.Called
	})
}

// stream analyzes a legacy PyTorch checkpoint, as written before version 1.6.
func (p *part) stream() error {
	s, err := torchfile.ReadStream(p.file, p.size, p.pickleOptions())
	if err != nil || s == nil {
		return err
	}
	p.is("pytorch-legacy")
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "a checkpoint is named %s", quoted(p.name))
	}
	p.paid(s.Graph.Report)
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
