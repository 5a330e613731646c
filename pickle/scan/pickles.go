// Pickles: judged by package pickle, and laid out by package torchfile.

package scan

import (
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// pickle looks at a part that is a pickle, by its first bytes, its name, or because it
// runs as one.
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
		p.find(RuleExtension, 0, "a pickle is called %s", quoted(p.name))
	}
	p.takeOver(g.Report, 0)
	for _, s := range g.Report.Streams {
		p.explain(s.Offset, s.End)
	}
	p.swept = true // by package pickle
	if p.graph != nil {
		p.graph(g)
	}
	g = nil // those who are shown the pickle have values of their own
	p.visited(0, p.size)
	return nil
}

// tried returns the first pickle if the part is to be judged as one, nil if not. What is not sure to be one
// counts if it runs to its end, or does what no data does by chance before it breaks. A
// checkpoint from before PyTorch 1.6, which its first few instructions tell, is looked
// at right away.
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
			return nil, nil // it broke before
		}
	}
	return nil, nil
}

// alien says whether a report is of bytes that are no pickle from the first on, and not
// of one that is cut off.
func alien(r *pickle.Report) bool {
	has := func(rule pickle.Rule) bool {
		return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == rule })
	}
	return len(r.Imports) == 0 && has(pickle.RuleNotPickle) && !has(pickle.RuleTruncated)
}

// stillborn says whether the first instruction already needs what is not on the stack, so
// that no unpickler goes on to the second. "import " begins text of Python more often than
// a pickle, and is an INST without a MARK.
func stillborn(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == pickle.RuleUnderflow && f.Offset == 0 })
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
