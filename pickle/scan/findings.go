// Findings, and the reports of package pickle that become part of the report.

package scan

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/scan/internal/guess"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// OverWork reports that the budget of instructions was spent at off.
func (p *part) OverWork(off int64) {
	p.overBudget(off, "the instruction budget is spent; the rest was not analyzed")
}

// overBudget reports that something was not analyzed because of a limit of the Scanner.
func (p *part) overBudget(off int64, format string, args ...any) {
	p.report.Limited = true
	p.Unscanned(off, format, args...)
}

// pickleOptions returns the options for pickles in the part, with the rest of the budget.
func (p *part) pickleOptions() *pickle.Options {
	return &pickle.Options{Policy: p.Policy, MaxOpcodes: max(p.left, 1), MaxMemory: p.MaxMemory, MaxReport: p.MaxReport,
		PersistentID: p.ids}
}

// paid takes the cost of analyzing pickles from the budget.
func (p *part) paid(r *pickle.Report) {
	p.Spend(r.Spent)
	for i := range r.Findings {
		p.report.Limited = p.report.Limited || r.Findings[i].Rule == pickle.RuleBudget
	}
}

// aboutGaps are the rules that say what was not analyzed. They are not evidence.
var aboutGaps = map[pickle.Rule]bool{RuleUnscanned: true, pickle.RuleTruncated: true, pickle.RuleBudget: true,
	RuleEncrypted: true, RuleLFSPointer: true, Rule7z: true, RuleRAR: true, RuleZstandard: true}

// aboutForm are the rules that the first part of valid data violates.
var aboutForm = map[pickle.Rule]bool{pickle.RuleNotPickle: true, RuleBadHeader: true, RuleByteOrder: true,
	RuleBadConfig: true, pickle.RuleTrailing: true}

// raise makes the verdict at least v. A gap is not evidence.
func (p *part) raise(v pickle.Verdict, gap bool) {
	p.verdict = max(p.verdict, v)
	if !gap {
		p.report.Evidence = max(p.report.Evidence, v)
	}
}

// Find reports a finding with the severity of its rule.
func (p *part) Find(rule pickle.Rule, off int64, format string, args ...any) {
	p.Add(pickle.Finding{Rule: rule, Severity: Severity(rule), Offset: off, Message: fmt.Sprintf(format, args...)})
}

// Add reports a finding.
func (p *part) Add(f pickle.Finding) { p.follow(f, false) }

// follow reports a finding. It is not evidence if cut says that it follows from the end of a truncated file.
func (p *part) follow(f pickle.Finding, cut bool) {
	p.raise(f.Severity.Verdict(), cut || aboutGaps[f.Rule] || p.cut && aboutForm[f.Rule])
	if f.Rule == pickle.RuleTruncated {
		p.incomplete("%s", f.Message)
	}
	f.Count = max(f.Count, 1)
	key := alike{p.path, f.Message, f.Rule}
	if i, ok := p.index[key]; ok {
		p.report.Findings[i].Join(&f)
		return
	}
	if p.noPlace(len(p.report.Findings), f.Severity.Verdict()) {
		p.report.Omitted += int(f.Count)
		return
	}
	if p.index == nil {
		p.index = make(map[alike]int)
	}
	p.index[key] = len(p.report.Findings)
	p.report.Findings = append(p.report.Findings, Finding{p.path, f})
}

// imports reports a name that loading the part imports.
func (p *part) imports(im Import) {
	p.raise(im.Verdict, false)
	if p.noPlace(len(p.report.Imports), im.Verdict) {
		p.report.Omitted++
		return
	}
	im.Member = p.path
	p.report.Imports = append(p.report.Imports, im)
}

// calls reports a call that loading the part makes.
func (p *part) calls(c pickle.Call) {
	p.raise(c.Verdict, false)
	if p.noPlace(len(p.report.Calls), c.Verdict) {
		p.report.Omitted++
		return
	}
	p.report.Calls = append(p.report.Calls, Call{p.path, c})
}

// Unanalysed reports that the format of the part is not analyzed: what it is, and why not.
func (p *part) Unanalysed(format string, args ...any) {
	p.report.Unanalysed = true
	p.raise(pickle.Unanalysed, false)
	p.Find(RuleUnanalysed, 0, format, args...)
}

// Unscanned reports that something in the part was not analyzed.
func (p *part) Unscanned(off int64, format string, args ...any) {
	p.incomplete(format, args...)
	p.Find(RuleUnscanned, off, format, args...)
}

// incomplete records that the analysis of the part is incomplete, and why.
func (p *part) incomplete(format string, args ...any) {
	p.raise(pickle.Suspicious, true)
	if p.reason == "" {
		p.reason = fmt.Sprintf(format, args...)
	}
}

// quoted returns a name for use in a message.
func quoted(name string) string { return wording.Quote(name) }

// bytesOf returns a number of bytes with its unit.
func bytesOf(n int64) string { return wording.Count(n, "byte") }

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
