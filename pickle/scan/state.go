// The state of one scan: its report and what is left of its budgets.

package scan

import (
	"cmp"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
)

// A scanning is the state of one scan.
type scanning struct {
	Scanner
	lookInto   func(*part) error // the function look, called for nested parts
	report     *Report
	members    int            // analyzed so far
	left       int64          // of MaxOpcodes
	buffer     []byte         // for sequential reads
	held       int64          // memory of the parts, in bytes
	index      map[alike]int  // of the findings, to merge equal ones
	configured map[string]int // indices of the imports of configurations
}

// An alike is the key by which findings are merged.
type alike struct {
	member, message string
	rule            pickle.Rule
}

// Costs, in cheap pickle instructions of about twenty nanoseconds. Work is counted rather
// than timed: the same bytes always give the same report.
const (
	costPart    = 400 // detecting the format of a part
	costJSON    = foreign.CostJSON
	costVerdict = 1500 // judging a single name
	perInstr    = 16   // bytes searched at the cost of one instruction
)

// Spend takes n instructions from the budget and reports whether any are left.
func (s *scanning) Spend(n int64) bool {
	s.left -= n
	return s.left > 0
}

// noPlace reports whether a list of n entries is full for an entry with verdict v. As many
// places again are reserved for dangerous entries, which harmless ones cannot displace.
func (s *scanning) noPlace(n int, v pickle.Verdict) bool {
	return n >= s.MaxReport && (v != pickle.Dangerous || n >= 2*s.MaxReport)
}

// budgets sets the limits that the caller left at zero, for a file of the given size.
func (s *scanning) budgets(size int64) {
	s.MaxDepth = cmp.Or(s.MaxDepth, usualDepth)
	s.MaxMembers = cmp.Or(s.MaxMembers, usualMembers)
	s.MaxReport = cmp.Or(s.MaxReport, usualReport)
	s.MaxMemory = cmp.Or(s.MaxMemory, UsualMemory)
	s.MaxUnpacked = cmp.Or(s.MaxUnpacked, min(max(leastUnpacked, 4*min(size, mostUnpacked)), mostUnpacked))
	if s.MaxOpcodes == 0 {
		s.MaxOpcodes = UsualOpcodes
		if s.Deep {
			s.MaxOpcodes += size // every byte is searched
		}
	}
	s.left = s.MaxOpcodes
}

// mostSearch returns the maximum number of bytes to search in one range.
func (s *scanning) mostSearch() int64 {
	if s.Deep {
		return 1 << 62
	}
	return usualSearch
}
