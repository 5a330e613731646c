// The command check.

// Package judge contains the commands that verify and compare files: check, hash, scan, pickle
// and diff.
package judge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// checkFlags are the flags of check.
type checkFlags struct {
	cli.Output
	gateFlags
	all, verbose, data, lenient bool
	explain, base               string
	rules                       bool
	loaderFlags
}

const checkHelp = `Check files against every rule of the format and report all violations, with advice.
Shards are checked against each other and their index. A folder is checked as a
whole: configuration, adapters, companion tensors of packed weights, and leftover
files. A single file is never reported as incomplete.

Check does not read values, unless --data is set. --data reads all values, reports
unexpected NaN, infinity and zeros, and verifies checksums in the Hub's cache.

--for LOADER also checks what a program needs to load the weights. Severities of findings
then depend on the program. --tp N also checks that N devices can share the tensors.
docs/loaders.md lists the programs and cites their source code.

Check compares an adapter with its base model. It finds the base in the same folder or by
a relative path in adapter_config.json; otherwise name it with --base.

The exit code is 0 if there are no findings of the --fail-on rules or of at least the
--fail-on severity, 1 if there are, and 3 if a file could not be read and there are no
such findings in the others. Severities, in ascending order:

  note           harmless, but could be cleaner
  warning        some readers disagree about it, or load it slowly
  nonconforming  violates the specification, but the reference reader accepts it
  error          the file is valid, but its weights are damaged or unusable
  invalid        no conforming reader accepts it

--fail-on takes severities and rules. A rule adds to the severity: --fail-on two-copies
also fails for that rule; --fail-on never,two-copies fails only for that rule. Rules
about values need --data.

Suppress known findings by rule, file and tensor in .weigh.toml, next to the files or
given by --config; see docs/ci.md. A .weigh.toml next to the files can suppress only
notes and warnings, because it may have been downloaded with them. Findings recorded in a
--baseline are suppressed, too: only new ones fail the check. Suppressed findings are
still counted.`

// Check returns the command.
func Check(sess *cli.Session) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check TARGET...",
		Short: "Check files and folders for errors",
		Long:  checkHelp,
		Example: `  weigh check testdata/sample
  weigh check --json testdata/sample | jq '.counts'
  weigh check --sarif -o weights.sarif testdata/sample
  weigh check --junit --fail-on warning testdata/sample
  weigh check --for vllm --tp 2 testdata/gguf/source
  weigh check --explain overlap
  weigh check --rules`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.explain != "" || f.rules {
				return nil
			}
			return cli.TargetArgs(0, cli.AnyTarget)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.explain != "" && f.rules:
				return cli.Usagef("--explain and --rules exclude each other")
			case f.explain != "":
				return explainRule(sess, &f, args)
			case f.rules:
				return listRules(sess, &f, args)
			}
			return runCheck(sess, cmd, args, &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.check/1", "sarif", "write SARIF 2.1.0, for code scanners",
		"junit", "write JUnit XML, for CI servers")
	f.gateFlags.register(cmd)
	f.loaderFlags.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "show every finding, not only five for each rule and file")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "also show suppressed findings")
	fl.BoolVar(&f.data, "data", false, "also read all values and verify known checksums")
	fl.StringVar(&f.base, "base", "", "also compare adapters with their base model `TARGET`")
	fl.StringVar(&f.explain, "explain", "", "explain `RULE` and exit")
	fl.BoolVar(&f.rules, "rules", false, "list all rules and exit")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "explain", ruleNames())
	return cmd
}

// ruleNames returns the names of all rules.
func ruleNames() []string {
	var names []string
	for _, info := range finding.Rules {
		names = append(names, string(info.Rule))
	}
	return names
}

// runCheck checks the targets. It reports findings even if some files could not be read.
func runCheck(sess *cli.Session, cmd *cobra.Command, args []string, f *checkFlags) error {
	keeper, err := survey.NewKeeper(sess, f.config, f.baseline, !f.noConfig)
	if err != nil {
		return err
	}
	if keeper.For, err = f.programs(); err != nil {
		return err
	}
	if keeper.FailOn, err = f.threshold(f.data, keeper.For != nil); err != nil {
		return err
	}
	if err := errors.Join(f.Output.Check(), f.gateFlags.check(), f.overwritable(f.Force)); err != nil {
		return err
	}
	found, err := survey.Run(cmd.Context(), sess, target.Names(args),
		&survey.Options{Lenient: f.lenient, Thorough: true, Data: f.data, Ranks: f.ranks, Base: target.Name(f.base),
			Gate: keeper})
	if err != nil {
		return err
	}
	c := found.Check(keeper.FailsFrom(f.lenient))
	if wd, err := os.Getwd(); err == nil {
		c.Root = filepath.ToSlash(wd)
	}
	// Machines get a report even then, to distinguish this from a crash.
	if c.Nothing() && f.Form() == "" {
		return cli.ErrUnread // errors have been printed
	}
	if err := judgeByBaseline(sess, keeper, c, &f.gateFlags, f.Force); err != nil {
		return err
	}
	// --quiet does not apply to an output file.
	if !sess.Quiet || f.File != "" {
		c.Form = finding.CheckForm{All: f.all, Verbose: f.verbose, Version: cli.Build().Version}
		err = sess.WriteForm(&f.Output, cli.Forms{"": c.Text, "json": c.JSON, "sarif": c.SARIF, "junit": c.JUnit})
	}
	if err != nil {
		return err
	}
	if c.Failed() {
		return cli.ErrFound
	}
	return found.Unread()
}

// explainRule documents a rule. It needs no target.
func explainRule(sess *cli.Session, f *checkFlags, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("check --explain takes no target: %q", target.Name(args[0]))
	}
	names := ruleNames()
	if !slices.Contains(names, f.explain) {
		return cli.UnknownValue("--explain", f.explain, names)
	}
	return sess.Report(&f.Output, finding.Explain(safetensors.Rule(f.explain)))
}

// listRules lists all rules. It needs no target.
func listRules(sess *cli.Session, f *checkFlags, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("check --rules takes no target: %q", target.Name(args[0]))
	}
	return sess.Report(&f.Output, finding.RuleList{})
}
