// The state of one scan: its report and what is left of its budgets.

package scan

import (
	"cmp"

	"github.com/weightools/safetensors/pickle"
)

// A scanning is one scan.
type scanning struct {
	Scanner
	lookInto   func(*part) error // look, which all formats call for what is in them
	report     *Report
	members    int            // how many were looked at
	left       int64          // of MaxOpcodes
	buffer     []byte         // for what is read from front to back
	held       int64          // bytes that the parts take
	index      map[alike]int  // of the findings, so that those that are alike are one
	configured map[string]int // of the imports of configurations
}

// An alike is what makes findings one.
type alike struct {
	member, message string
	rule            pickle.Rule
}

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

// noPlace says whether a list of n has no place for one more of a verdict. What is
// dangerous has as many places again, so that nothing can crowd it out.
func (s *scanning) noPlace(n int, v pickle.Verdict) bool {
	return n >= s.MaxReport && (v != pickle.Dangerous || n >= 2*s.MaxReport)
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

// mostSearch returns how many bytes of a run are searched.
func (s *scanning) mostSearch() int64 {
	if s.Deep {
		return 1 << 62
	}
	return usualSearch
}
