// Budgets: how much work and memory a scan may take, and what it costs.

package scan

import (
	"cmp"

	"github.com/weightools/safetensors/pickle"
)

// The costs of what is done, in instructions of pickles that are cheap: about twenty
// nanoseconds each. They are counted and not timed, so that the same bytes give the same
// report.
const (
	costPart    = 400  // to find out what a part is
	costJSON    = 1    // a byte of a configuration
	costVerdict = 1500 // a name that is judged by itself
	perInstr    = 16   // bytes that are searched at the cost of one instruction
)

// spend takes n instructions from the budget, and says whether there are any left.
func (s *scanning) spend(n int64) bool {
	s.left -= n
	return s.left > 0
}

// overWork reports that the budget is spent, at off of the part.
func (p *part) overWork(off int64) {
	p.overBudget(off, "the budget of instructions is spent, and what follows was not looked at")
}

// overBudget reports that something was not seen because of a budget, which
// Scanner has.
func (p *part) overBudget(off int64, format string, args ...any) {
	p.report.Limited = true
	p.unscanned(off, format, args...)
}

// pickleOptions returns how pickles in the part are judged: by what is left of the budget.
func (p *part) pickleOptions() *pickle.Options {
	return &pickle.Options{Policy: p.Policy, MaxOpcodes: max(p.left, 1), MaxMemory: p.MaxMemory, MaxReport: p.MaxReport, PersistentID: p.ids}
}

// paid takes what judging pickles has cost from the budget.
func (p *part) paid(r *pickle.Report) {
	p.spend(r.Spent)
	for i := range r.Findings {
		p.report.Limited = p.report.Limited || r.Findings[i].Rule == pickle.RuleBudget
	}
}

// budgets sets the budgets that the scanner does not say, for a file of some size.
func (s *scanning) budgets(size int64) {
	s.MaxDepth = cmp.Or(s.MaxDepth, usualDepth)
	s.MaxMembers = cmp.Or(s.MaxMembers, usualMembers)
	s.MaxReport = cmp.Or(s.MaxReport, usualReport)
	s.MaxMemory = cmp.Or(s.MaxMemory, UsualMemory)
	s.MaxUnpacked = cmp.Or(s.MaxUnpacked, min(max(leastUnpacked, 4*min(size, mostUnpacked)), mostUnpacked))
	if s.MaxOpcodes == 0 {
		s.MaxOpcodes = UsualOpcodes
		if s.Deep {
			s.MaxOpcodes += size // all of it is to be searched
		}
	}
	s.left = s.MaxOpcodes
}
