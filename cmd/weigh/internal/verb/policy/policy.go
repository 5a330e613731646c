// Package policy contains the flags that configure scanners of pickles: which imports are allowed,
// and how much time and memory a scan may take.
package policy

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// Flags are these flags. The zero Flags allows the usual budget.
type Flags struct {
	Policy   string // --policy
	Deep     bool   // also scan tensor data
	Budget   int    // --budget
	bounded  bool   // the command has --budget
	tight    bool   // and it applies to all the memory of the program
	profiles []string
}

// RegisterBudget adds --budget. If tight is set, it applies to all the memory of the program.
func (f *Flags) RegisterBudget(cmd *cobra.Command, tight bool) {
	f.bounded, f.tight = true, tight
	cmd.Flags().IntVar(&f.Budget, "budget", 1, "multiply the limits for each file (2 seconds, 64 MiB) by `N`")
}

// RegisterPolicy adds --policy and --profile.
func (f *Flags) RegisterPolicy(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Policy, "policy", "", "also apply the policy in `FILE`; see weigh help scan")
	cmd.Flags().StringSliceVar(&f.profiles, "profile", nil, "allow the imports of profile `NAME` (repeatable): "+
		strings.Join(profileNames(), ", "))
	cli.CompleteWords(cmd, "profile", profileNames())
}

// mostBudget is the maximum of --budget. It allows 8 GiB of values for a pickle, the limit of
// 32-bit indices.
const mostBudget = 300

// More returns a larger value for --budget, or 0 if there is none.
func (f *Flags) More() int {
	if f.Budget >= mostBudget {
		return 0
	}
	return min(10*f.Budget, mostBudget)
}

// settle limits the memory of the garbage collector, which would otherwise use twice the memory in
// use.
func settle(budget int) { debug.SetMemoryLimit(int64(budget) * 44 << 20) }

// profileNames returns the names of all profiles.
func profileNames() []string {
	var names []string
	for name := range pickle.Profiles() {
		names = append(names, name)
	}
	return names
}

// Scanner returns a scanner for the flags.
func (f *Flags) Scanner(sess *cli.Session) (*scan.Scanner, error) {
	switch {
	case !f.bounded:
		f.Budget = 1
	case f.Budget < 1 || f.Budget > mostBudget:
		return nil, cli.Usagef("--budget must be from 1 to %[2]d, not %[1]d", f.Budget, mostBudget)
	case f.tight:
		settle(f.Budget)
	}
	s := &scan.Scanner{Deep: f.Deep, Policy: new(pickle.Policy)}
	if n := int64(f.Budget); n > 1 {
		s.MaxOpcodes, s.MaxMemory, s.MaxUnpacked, s.MaxMembers = n*scan.UsualOpcodes, n*scan.UsualMemory, n<<30,
			f.Budget*100_000
	}
	if f.Policy != "" {
		text, err := sess.ReadSmall(f.Policy, 16<<20)
		if err != nil {
			return nil, err
		}
		if s.Policy, err = pickle.ParsePolicy(bytes.NewReader(text)); err != nil {
			return nil, cli.Usagef("%s: %w", f.Policy, err)
		}
	}
	for _, name := range f.profiles {
		if names := profileNames(); !slices.Contains(names, name) {
			return nil, cli.UnknownValue("--profile", name, names)
		}
		s.Policy.Profiles = append(s.Policy.Profiles, name)
	}
	return s, nil
}
