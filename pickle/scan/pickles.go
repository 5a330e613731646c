// Pickles, and PyTorch checkpoints that consist of several.

package scan

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// pickle analyzes a part that is a pickle by its first bytes or its name, or because it can be
// executed as one, whatever else it is: loaders that unpickle do not ask.
func (p *part) pickle(head []byte) error {
	says := !p.plain && (mayBePickle(head) || p.saysPickle())
	sure := p.formats == 0 && says
	if !sure {
		if no, err := p.noPickle(head); no || err != nil {
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
	// Numbers and other formats can begin like a pickle of a plain value.
	chance := (p.formats > 0 || p.numeric) && !says && !tells(g.Report)
	if (g.Report.End < p.size || !g.Report.Complete) && p.left > 0 {
		opts := p.pickleOptions()
		opts.NoSweep = chance
		if g, err = pickle.Load(p.file, p.size, opts); err != nil {
			return err
		}
		p.paid(g.Report)
	}
	if sure && alien(g.Report) || chance && !tells(g.Report) && (p.plain || !has(g.Report, pickle.RuleBudget)) {
		return nil
	}
	if p.plain {
		p.embedded(g.Report, 0)
		return nil
	}
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
	g = nil // frees memory: Visit may load the pickle again
	p.visited(0, p.size)
	return nil
}

// tells reports whether a report has more than plain values: imports, apart from codes that nobody
// registered, or values that need much time or memory.
func tells(r *pickle.Report) bool {
	return has(r, pickle.RuleResource) || has(r, pickle.RuleExpansion) ||
		slices.ContainsFunc(r.Imports, func(im pickle.Import) bool { return im.Rule != pickle.RuleExtension })
}

// isPickle records that the part is a pickle, or consists of several.
func (p *part) isPickle(format, what string) {
	p.is(format)
	p.ran = true
	if p.hidesPickle() {
		p.find(RuleExtension, 0, "%s is named %s", what, quoted(p.name))
	}
}

// tried returns the first pickle of the part, or nil if the part is not a pickle. Without
// sure, a pickle must run to its end, have a telling import, or run until a budget is spent: what
// has not failed may have a payload later.
func (p *part) tried(sure bool) (*pickle.Graph, error) {
	const few = 1000 // instructions
	for _, most := range [...]int64{few, math.MaxInt64} {
		opts := p.pickleOptions()
		opts.MaxStreams, opts.NoSweep, opts.MaxOpcodes = 1, true, min(most, opts.MaxOpcodes)
		g, err := pickle.Load(p.file, p.size, opts)
		if err != nil {
			return nil, err
		}
		p.spend(g.Report.Spent)
		over := has(g.Report, pickle.RuleBudget)
		if over && p.plain {
			return nil, nil // numbers that are all equal can be instructions
		}
		switch runs := len(g.Report.Streams) > 0 && g.Report.Streams[0].Stopped && !stillborn(g.Report); {
		case sure || runs || acts(g.Report) || over && most > few:
			p.report.Limited = p.report.Limited || over && most > few
			return g, nil
		case !over:
			return nil, nil // it failed
		}
	}
	return nil, nil
}

// startOpcodes are the opcodes that do not fail if the stack is empty.
const startOpcodes = "(])}NIJKLMFGSTUVXBCPc\x80\x82\x83\x84\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x95\x96\x97"

// noPickle reports whether executing the part as a pickle fails within its first bytes, as nearly
// always if it is not one.
func (p *part) noPickle(head []byte) (bool, error) {
	if strings.IndexByte(startOpcodes, head[0]) < 0 {
		return true, nil
	}
	opts := p.pickleOptions()
	opts.MaxStreams, opts.NoSweep = 1, true
	r, err := pickle.Analyze(bytes.NewReader(head), int64(len(head)), opts)
	if err != nil {
		return false, err
	}
	p.spend(r.Spent)
	runs := len(r.Streams) > 0 && r.Streams[0].Stopped
	return !runs && !acts(r) && !has(r, pickle.RuleTruncated) && !has(r, pickle.RuleFrame) && !has(r, pickle.RuleBudget),
		nil
}

// isStream reports whether the first pickle is the magic number of a legacy PyTorch checkpoint.
func isStream(g *pickle.Graph) bool {
	roots := g.Roots()
	return len(roots) > 0 && torchfile.IsStream(roots[0])
}

// has reports whether a report has a finding of a rule.
func has(r *pickle.Report, rule pickle.Rule) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == rule })
}

// alien reports whether the bytes of a report are not a pickle at all, rather than a truncated
// one.
func alien(r *pickle.Report) bool {
	return len(r.Imports) == 0 && has(r, pickle.RuleNotPickle) && !has(r, pickle.RuleTruncated)
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

// stream analyzes a legacy PyTorch checkpoint, as written before version 1.6. It returns false if
// a budget is too small for the values of the checkpoint, without which its data is not found.
func (p *part) stream() (done bool, err error) {
	s, err := torchfile.ReadStream(p.file, p.size, p.pickleOptions())
	if err != nil || s == nil || has(s.Graph.Report, pickle.RuleBudget) {
		return false, err
	}
	p.isPickle("pytorch-legacy", "a checkpoint")
	p.paid(s.Graph.Report)
	p.judged(without(s.Graph.Report, pickle.RuleMultiple), 0, s.Graph.Report.End)
	p.faulty(s.Faults)
	p.faulty(torchfile.CheckTensors(s.Graph))
	p.pickledSettings(s.Graph)
	for i := range s.Blocks {
		if err := p.block(&s.Blocks[i]); err != nil {
			return false, err
		}
	}
	p.explain(0, s.End)
	return true, p.behind(s.End, "the checkpoint")
}
