// The command scan.

package judge

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/scanreport"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/version"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// ScanFlags are the flags of scan.
type ScanFlags struct {
	cli.Output
	json, sarif, all, why, deep bool
	budget                      int
	bounded                     bool // the command has --budget
	failOn, policy              string
	profiles                    []string
}

// Scan returns the command.
func Scan(sess *cli.Session) *cobra.Command {
	var f ScanFlags
	cmd := &cobra.Command{
		Use:   "scan PATH...",
		Short: "Scan files for code that runs on load",
		Long: `Scan each file for code that would run when it is loaded, and give a verdict with its
reasons. Scan detects pickles, archives, and files of PyTorch, NumPy, joblib and Keras
by content, not by name. Nothing in them is executed.

  safe        all of it was analysed, and every import is on the allow list
  suspicious  something is unknown, unusual, or could not be analysed
  dangerous   loading it can run code

A folder includes all files in it, through links, too; each file is scanned once. In
archives, scan reads the directory, the pickles, and the first bytes of other members,
unless --deep is set.

A scan stops after 2 seconds or 64 MiB of memory for a file; the verdict is then at
least suspicious. --budget 10 allows ten times as much.

The exit code is 0 if everything was analysed and nothing reaches the --fail-on
severity, 1 if something does, and 3 if a file could not be read or analysed completely
and nothing else was found.

A policy is a file of lines such as "allow mypackage.Net", "deny numpy.*",
"profile sklearn", or "file" with the SHA-256 of a trusted file.`,
		Example: `  weigh scan testdata/scan/model.pt
  weigh scan --why --all testdata/scan/old.bin
  weigh scan --json testdata/sample | jq '.files[] | select(.verdict != "safe")'
  weigh scan --sarif --force -o weights.sarif testdata/sample`,
		GroupID:           cli.GroupJudge,
		ValidArgsFunction: cli.CompleteFiles,
		Args:              cli.TargetArgs(0, "a file or a folder, or - for standard input"),
		RunE:              func(cmd *cobra.Command, args []string) error { return runScan(cmd.Context(), sess, args, &f) },
	}
	f.Output.Register(cmd)
	fl := cmd.Flags()
	f.budgetFlag(cmd)
	fl.BoolVar(&f.all, "all", false, "show every import and finding, including allowed ones and notes")
	fl.BoolVar(&f.deep, "deep", false, "also search for pickles within tensor data, where no loader looks for them")
	fl.StringVar(&f.failOn, "fail-on", "dangerous", "exit with 1 for files of at least `SEVERITY`: dangerous, suspicious or note")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.scan/1")
	fl.BoolVar(&f.sarif, "sarif", false, "write SARIF 2.1.0, for code scanners")
	f.PolicyFlags(cmd)
	fl.BoolVar(&f.why, "why", false, "explain each verdict, and what would change it")
	cli.CompleteWords(cmd, "fail-on", failOnNames)
	return cmd
}

// budgetFlag adds --budget.
func (f *ScanFlags) budgetFlag(cmd *cobra.Command) {
	f.bounded = true
	cmd.Flags().IntVar(&f.budget, "budget", 1, "allow `N` times the time and memory for each file (2 seconds, 64 MiB)")
}

// PolicyFlags adds --policy and --profile.
func (f *ScanFlags) PolicyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.policy, "policy", "", "also apply the policy in `FILE`")
	cmd.Flags().StringSliceVar(&f.profiles, "profile", nil, "allow the imports of profile `NAME` (repeatable): "+strings.Join(profileNames(), ", "))
	cli.CompleteWords(cmd, "profile", profileNames())
}

// mostBudget is the maximum of --budget. It allows 8 GiB of values for a pickle, the limit of
// 32-bit indices.
const mostBudget = 300

// settle limits the memory of the garbage collector, which would otherwise use twice the memory in
// use.
func settle(budget int) { debug.SetMemoryLimit(int64(budget) * 44 << 20) }

// failOnNames are the values of --fail-on, in ascending order.
var failOnNames = []string{"note", "suspicious", "dangerous"}

// profileNames returns the names of all profiles.
func profileNames() []string {
	var names []string
	for name := range pickle.Profiles() {
		names = append(names, name)
	}
	return names
}

// severity parses --fail-on.
func (f *ScanFlags) severity() (pickle.Severity, error) {
	i := slices.Index(failOnNames, f.failOn)
	if i < 0 {
		return 0, cli.UnknownValue("--fail-on", f.failOn, failOnNames)
	}
	return pickle.Severity(i), nil
}

// Scanner returns a scanner for the flags.
func (f *ScanFlags) Scanner() (*scan.Scanner, error) {
	switch {
	case !f.bounded:
		f.budget = 10 // converting deserves more time than scanning
	case f.budget < 1 || f.budget > mostBudget:
		return nil, cli.Usagef("--budget must be from 1 to %[2]d, not %[1]d", f.budget, mostBudget)
	default:
		settle(f.budget)
	}
	s := &scan.Scanner{Deep: f.deep, Policy: new(pickle.Policy)}
	if n := int64(f.budget); n > 1 {
		s.MaxOpcodes, s.MaxMemory, s.MaxUnpacked, s.MaxMembers = n*scan.UsualOpcodes, n*scan.UsualMemory, n<<30, f.budget*100_000
	}
	if f.policy != "" {
		file, err := os.Open(f.policy)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if s.Policy, err = pickle.ParsePolicy(file); err != nil {
			return nil, cli.Usagef("%s: %w", f.policy, err)
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

// runScan scans the targets. It continues after errors.
func runScan(ctx context.Context, sess *cli.Session, args []string, f *ScanFlags) error {
	least, err := f.severity()
	if err != nil {
		return err
	}
	sess.AddInputs(f.policy)
	scanner, err := f.Scanner()
	if err != nil {
		return err
	}
	if err := f.Output.Check(); err != nil {
		return err
	}
	found := &scanreport.Scan{Targets: target.AllPrintable(args), FailOn: least}
	if wd, err := os.Getwd(); err == nil {
		found.Root = filepath.ToSlash(wd)
	}
	if err := scanAll(ctx, sess, scanner, args, found); err != nil {
		return err
	}
	for _, u := range found.Unread {
		fmt.Fprintf(sess.Stderr, "weigh: %s\n", u.Message)
	}
	if found.Nothing() && !f.json && !f.sarif {
		if len(found.Unread) > 0 {
			return cli.ErrUnread
		}
		return fmt.Errorf("no files to scan in %s", typeset.Name(strings.Join(args, " ")))
	}
	if err := writeScan(sess, found, f); err != nil {
		return err
	}
	switch {
	case found.Failed():
		return cli.ErrFound
	case !found.Complete():
		return cli.ErrUnread
	}
	return nil
}

// writeScan writes the report.
func writeScan(sess *cli.Session, found *scanreport.Scan, f *ScanFlags) error {
	if sess.Quiet && f.File == "" {
		return nil // the exit code is enough
	}
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		switch {
		case f.json:
			return found.JSON(w, s)
		case f.sarif:
			return found.SARIF(w, s, version.Build().Version)
		}
		return found.Text(w, s, scanreport.ScanText{All: f.all, Why: f.why})
	})
}
