// Reports of package pickle, taken over into the report of a scan.

package scan

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

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

// without returns a report without findings of some rules, which say what is so in the
// place where the bytes stand.
func without(r *pickle.Report, rules ...pickle.Rule) *pickle.Report {
	rest := *r
	rest.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f pickle.Finding) bool { return slices.Contains(rules, f.Rule) })
	return &rest
}
