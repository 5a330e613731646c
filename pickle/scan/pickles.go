// Pickles, and PyTorch checkpoints that consist of several.

package scan

import (
	"math"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/scan/internal/guess"
)

// pickle analyzes a part that is a pickle by its first bytes or its name, or because it can be
// executed as one: loaders that unpickle do not check the format.
func (p *part) pickle(head []byte) error {
	says := !p.plain && (guess.MayBegin(head) || p.saysPickle())
	sure := p.formats == 0 && says
	if !sure {
		no, spent, err := guess.Fails(head, p.pickleOptions())
		if p.Spend(spent); no || err != nil {
			return err
		}
	}
	g, err := p.tried(sure)
	if err != nil || g == nil {
		return err
	}
	legacy := isStream(g)
	if legacy {
		if done, err := p.stream(); done || err != nil {
			return err
		}
	}
	whole := g.Report.End == p.size && g.Report.Complete
	// Numbers, texts and other formats can begin like a pickle of a plain value.
	chance := (p.formats > 0 || p.numeric || !whole && filetype.IsText(head)) && !says && !guess.Tells(g.Report)
	if !whole && p.left > 0 {
		opts := p.pickleOptions()
		opts.NoSweep = chance
		if g, err = pickle.Load(p.file, p.size, opts); err != nil {
			return err
		}
		p.paid(g.Report)
	}
	chance = chance && !guess.Tells(g.Report) && (p.plain || !guess.Has(g.Report, pickle.RuleBudget))
	if chance || sure && guess.Alien(g.Report) {
		return nil
	}
	if p.plain {
		if guess.MayBegin(head) || guess.Executes(g.Report) {
			p.embedded(g.Report, 0)
		}
		return nil
	}
	return p.taken(g, legacy, head)
}

// taken takes over what was found in a part that is a pickle. It may be a legacy PyTorch checkpoint whose values exceed
// a budget.
func (p *part) taken(g *pickle.Graph, legacy bool, head []byte) error {
	p.isPickle("pickle", "a pickle")
	if legacy {
		p.format = "pytorch-legacy"
		p.incomplete("the values of the checkpoint exceed the memory budget")
	}
	p.takeOver(g.Report, 0)
	for _, s := range g.Report.Streams {
		p.explain(s.Offset, s.End)
	}
	p.swept = true // package pickle did
	if p.graph != nil {
		p.graph(g)
	}
	p.pickledSettings(g)
	if err := p.slicesOf(g); err != nil {
		return err
	}
	g = nil // frees memory: Visit may load the pickle again
	p.visited(0, p.size)
	return p.textToo(head)
}

// isPickle records that the part is a pickle, or consists of several.
func (p *part) isPickle(format, what string) {
	p.Is(format)
	p.ran = true
	if p.hidesPickle() {
		p.Find(RuleExtension, 0, "%s is named %s", what, quoted(p.name))
	}
}

// tried returns the first pickle of the part, or nil if the part is not a pickle. Without
// sure, a pickle must run to its end, have a telling import, or run until a budget is spent: what
// has not failed may have a payload later.
func (p *part) tried(sure bool) (*pickle.Graph, error) {
	const few = 1000 // instructions
	if p.left <= 0 {
		p.OverWork(0)
		return nil, nil
	}
	for _, most := range [...]int64{few, math.MaxInt64} {
		opts := p.pickleOptions()
		opts.MaxStreams, opts.NoSweep, opts.MaxOpcodes = 1, true, min(most, opts.MaxOpcodes)
		g, err := pickle.Load(p.file, p.size, opts)
		if err != nil {
			return nil, err
		}
		p.Spend(g.Report.Spent)
		over := guess.Has(g.Report, pickle.RuleBudget)
		if over && p.plain {
			return nil, nil // numbers that are all equal can be instructions
		}
		switch {
		case sure || guess.Runs(g.Report) || guess.Acts(g.Report) || over && most > few:
			p.report.Limited = p.report.Limited || over && most > few
			return g, nil
		case !over:
			return nil, nil // it failed
		}
	}
	return nil, nil
}

// isStream reports whether the first pickle is the magic number of a legacy PyTorch checkpoint.
func isStream(g *pickle.Graph) bool {
	roots := g.Roots()
	return len(roots) > 0 && torchfile.IsStream(roots[0])
}

// stream analyzes a legacy PyTorch checkpoint, as written before version 1.6. It returns false if
// a budget is too small for the values of the checkpoint, without which its data is not found.
func (p *part) stream() (done bool, err error) {
	s, err := torchfile.ReadStream(p.file, p.size, p.pickleOptions())
	if err != nil || s == nil || guess.Has(s.Graph.Report, pickle.RuleBudget) {
		return false, err
	}
	p.isPickle("pytorch-legacy", "a checkpoint")
	p.paid(s.Graph.Report)
	p.judged(guess.Without(s.Graph.Report, pickle.RuleMultiple), 0, s.Graph.Report.End)
	p.faulty(s.Faults)
	p.faulty(torchfile.CheckTensors(s.Graph))
	p.pickledSettings(s.Graph)
	if err := p.streamed(s); err != nil {
		return false, err
	}
	for i := range s.Blocks {
		if err := p.block(&s.Blocks[i]); err != nil {
			return false, err
		}
	}
	p.explain(0, s.End)
	if guess.Has(s.Graph.Report, pickle.RuleTruncated) {
		return true, nil // the rest is the first part of a pickle
	}
	return true, p.behind(s.End, "the checkpoint")
}
