// Reports of package pickle, taken over into the report of a scan.

package scan

import (
	"io"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/scan/internal/guess"
)

// faulty reports the faults of a checkpoint.
func (p *part) faulty(list []torchfile.Fault) {
	for _, f := range list {
		p.Add(pickle.Finding{Rule: f.Rule, Severity: Severity(f.Rule), Offset: f.Offset, Message: f.Detail})
	}
}

// visited calls Visit for the pickle in the n bytes at off.
func (p *part) visited(off, n int64) {
	if p.Visit != nil {
		p.Visit(Pickle{p.path, off, n, io.NewSectionReader(p.file, off, n), p.pickleOptions()})
	}
}

// judged takes over a report about the n bytes of pickles at off.
func (p *part) judged(r *pickle.Report, off, n int64) {
	p.visited(off, n)
	p.takeOver(r, off)
}

// takeOver adds a report about the bytes at off to the report of the scan.
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
		p.follow(f, f.Rule == pickle.RuleNotPickle && guess.Has(r, pickle.RuleTruncated))
	}
	p.report.Omitted += r.Omitted
	// If the report is incomplete, and so at least suspicious, an omitted finding may be about that.
	gap := !r.Complete || p.cut && r.Omitted == 0
	p.raise(r.Verdict, gap && r.Verdict == pickle.Suspicious)
	if !r.Complete {
		p.incomplete("%s", r.Reason)
	}
}
