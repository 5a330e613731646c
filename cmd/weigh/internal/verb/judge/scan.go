// The command scan.

package judge

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/scanreport"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/policy"
	"github.com/weightools/safetensors/pickle"
)

// scanFlags are the flags of scan.
type scanFlags struct {
	cli.Output
	policy.Flags
	all, why bool
	failOn   string
}

// Scan returns the command.
func Scan(sess *cli.Session) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan PATH...",
		Short: "Scan files for code that runs on load",
		Long: `Scan each file for code that would run when it is loaded, and give a verdict with its
reasons. Scan detects pickles, archives, and files of PyTorch, NumPy, joblib and Keras
by content, not by name. Nothing in them is executed.

  safe        all of it was analyzed, and nothing was found
  unanalysed  it has a format that scan does not analyze, such as Python source
  suspicious  something is unknown, unusual, or could not be analyzed completely
  dangerous   loading it can run code or corrupt memory

For a folder, scan reads all files in it and follows links; each file is scanned once. In
archives, scan reads the directory, the pickles, and the first bytes of other members,
unless --deep is set.

A scan stops after 2 seconds or 64 MiB of memory for a file; the verdict is then at
least suspicious. --budget 10 allows ten times as much.

The exit code is 1 if something was found that reaches the --fail-on verdict. Otherwise
it is 3 if a file is unanalysed, or could not be read or analyzed completely, and 0 if
all files were analyzed.

A policy is a file of lines such as "allow mypackage.Net", "deny numpy.*",
"profile sklearn", or "file" with the SHA-256 of a trusted file.`,
		Example: `  weigh scan testdata/scan/model.pt
  weigh scan --why --all testdata/scan/old.bin
  weigh scan --json testdata/sample | jq '.files[] | select(.verdict != "safe")'
  weigh scan --sarif -o weights.sarif testdata/sample`,
		Args: cli.TargetArgs(0, "a file or a folder, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScan(cmd.Context(), sess, target.Names(args), &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.scan/1", "sarif", "write SARIF 2.1.0, for code scanners")
	fl := cmd.Flags()
	f.RegisterBudget(cmd, true)
	fl.BoolVar(&f.all, "all", false, "show every import and finding, including allowed ones and notes")
	fl.BoolVar(&f.Deep, "deep", false, "also search for pickles within tensor data, where no loader looks for them")
	fl.StringVar(&f.failOn, "fail-on", "suspicious",
		"exit with 1 for files of at least `VERDICT`: unanalysed, suspicious or dangerous")
	f.RegisterPolicy(cmd)
	fl.BoolVar(&f.why, "why", false, "explain each verdict, and what would change it")
	cli.CompleteWords(cmd, "fail-on", failOnNames)
	return cmd
}

// failOnNames are the values of --fail-on, in ascending order.
var failOnNames = []string{pickle.Unanalysed.String(), pickle.Suspicious.String(), pickle.Dangerous.String()}

// least parses --fail-on.
func (f *scanFlags) least() (pickle.Verdict, error) {
	i := slices.Index(failOnNames, f.failOn)
	if i < 0 {
		return 0, cli.UnknownValue("--fail-on", f.failOn, failOnNames)
	}
	return pickle.Unanalysed + pickle.Verdict(i), nil
}

// runScan scans the targets. It continues after errors.
func runScan(ctx context.Context, sess *cli.Session, names []target.Name, f *scanFlags) error {
	least, err := f.least()
	if err != nil {
		return err
	}
	sess.AddInputs(f.Policy)
	scanner, err := f.Scanner(sess)
	if err != nil {
		return err
	}
	if err := f.Output.Check(); err != nil {
		return err
	}
	found := &scanreport.Scan{Targets: target.Printable(names), FailOn: least}
	if wd, err := os.Getwd(); err == nil {
		found.Root = filepath.ToSlash(wd)
	}
	if err := scanAll(ctx, sess, scanner, names, found); err != nil {
		return err
	}
	for _, u := range found.Unread {
		fmt.Fprintf(sess.Stderr, "weigh: %s\n", u.Message)
	}
	if !found.Nothing() || f.Form() != "" {
		if err := writeScan(sess, found, f); err != nil {
			return err
		}
	}
	switch {
	case found.Nothing() && len(found.Unread) == 0:
		return fmt.Errorf("%s has no files to scan; check the path", quoted(found.Targets))
	case found.Failed():
		return cli.ErrFound
	case !found.Complete() || found.Unanalysed():
		return cli.ErrUnread
	}
	return nil
}

// quoted returns a list of names.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(list, ", ")
}

// writeScan writes the report.
func writeScan(sess *cli.Session, found *scanreport.Scan, f *scanFlags) error {
	if sess.Quiet && f.File == "" {
		return nil // the exit code is enough
	}
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		switch f.Form() {
		case "json":
			return found.JSON(w, s)
		case "sarif":
			return found.SARIF(w, s, cli.Build().Version)
		}
		return found.Text(w, s, scanreport.ScanText{All: f.all, Why: f.why, More: f.More()})
	})
}
