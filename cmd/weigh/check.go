// The verb check: every rule that is broken.

package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/rules"
)

// checkFlags are the flags of check.
type checkFlags struct {
	cli.Output
	gateFlags
	json, sarif, junit          bool
	all, verbose, data, lenient bool
	explain                     string
}

// checkCmd returns the verb. What it has beyond a verb that shows is when it
// fails: a check is run by machines, which read the exit code and nothing else.
func checkCmd(sess *cli.Session) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check TARGET...",
		Short: "say which rules are broken, by which tensor, at which byte",
		Long: `Check judges files by every rule of the format, goes on past the first that is
broken, and says what to do. Shards are judged against each other and against
their index; a folder as a whole, with its configuration, its adapters, what
unpacks its packed weights, and what lies beside them. Of a file that is named
alone, nothing is said to be missing.

Unless --data is given it reads no values. With --data it reads all, and says
what is NaN, infinite or zero that should not be, and whether files have the
digests that the Hub's cache has for them.

The exit code is 0 if nothing was found of the severity that --fail-on says,
1 if something was, and 3 if something could not be read and nothing was found
in the rest. Severities, from harmless to fatal, are:

  note           it could be tidier
  warning        readers in use disagree, or it costs them
  nonconforming  the specification forbids it, the reference implementation
                 reads it
  invalid        no conforming reader accepts it

What is no fault in your weights can be allowed by rule, file and tensor in a
file .weigh.toml beside or among them, or in one that --config names; docs/ci.md
says how.
One that lies beside weights can allow notes and warnings alone: it may have come
with them. What is recorded in a baseline is allowed, too, so that only what is
new fails the check. What is allowed is counted all the same.`,
		Example: `  weigh check testdata/sample
  weigh check --json testdata/sample | jq '.counts'
  weigh check --sarif -o weights.sarif testdata/sample
  weigh check --junit --fail-on warning testdata/sample
  weigh check --explain overlap`,
		GroupID:           cli.GroupJudge,
		ValidArgsFunction: cli.CompleteFiles,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.explain != "" {
				return nil
			}
			return cli.TargetArgs(0, cli.AnyTarget)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.explain != "" {
				return explainRule(sess, &f, args)
			}
			return runCheck(sess, cmd, args, &f)
		},
	}
	f.Output.Register(cmd)
	f.gateFlags.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "show every finding, not five of each kind")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show what is allowed, too")
	fl.BoolVar(&f.data, "data", false, "read all values, too, and check digests that are known")
	fl.StringVar(&f.explain, "explain", "", "explain `RULE`, and check nothing")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.check/1")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage+": fail only on what is invalid")
	fl.BoolVar(&f.sarif, "sarif", false, "write SARIF 2.1.0, for code scanners")
	fl.BoolVar(&f.junit, "junit", false, "write JUnit XML, for CI servers")
	cli.CompleteWords(cmd, "explain", ruleNames())
	return cmd
}

// ruleNames returns the names of all rules, in the table's order.
func ruleNames() []string {
	var names []string
	for _, info := range rules.All() {
		names = append(names, string(info.Rule))
	}
	return names
}

// runCheck judges the targets. It reports what it found even if not all could be
// read: a missing shard is no reason to be silent about a broken one.
func runCheck(sess *cli.Session, cmd *cobra.Command, args []string, f *checkFlags) error {
	keeper, err := newGatekeeper(sess, &f.gateFlags)
	if err != nil {
		return err
	}
	if _, err := keeper.failsFrom(&f.gateFlags, f.lenient); err != nil {
		return err
	}
	if err := errors.Join(f.Output.Check(), f.gateFlags.check(), f.recorded().Check()); err != nil {
		return err
	}
	found, err := newSurvey(cmd.Context(), sess, args, &surveyOptions{lenient: f.lenient, thorough: true, data: f.data, gate: keeper})
	if err != nil {
		return err
	}
	least, _ := keeper.failsFrom(&f.gateFlags, f.lenient)
	c := found.check(least)
	if wd, err := os.Getwd(); err == nil {
		c.Root = filepath.ToSlash(wd)
	}
	// Machines get a report all the same, or they could not tell this from a
	// program that crashed.
	if c.Nothing() && !f.json && !f.sarif && !f.junit {
		return cli.ErrUnread // there is nothing to say that was not said
	}
	if err := judgeByBaseline(sess, keeper, c, &f.gateFlags, f.Force); err != nil {
		return err
	}
	// Who names a file wants it, however quiet the rest.
	if !sess.Quiet || f.File != "" {
		err = sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error { return f.say(c, w, s) })
	}
	if err != nil {
		return err
	}
	if c.Failed() {
		return cli.ErrFound
	}
	return found.unread()
}

// say writes the check in the form that is asked for.
func (f *checkFlags) say(c *finding.Check, w io.Writer, s typeset.Style) error {
	switch {
	case f.json:
		return c.JSON(w, s)
	case f.sarif:
		return c.SARIF(w, s, buildVersion().Version, f.verbose)
	case f.junit:
		return c.JUnit(w, s)
	}
	return c.Text(w, s, finding.CheckForm{All: f.all, Verbose: f.verbose})
}

// recorded returns where the baseline is written, if it is.
func (f *checkFlags) recorded() *cli.Output {
	if !f.record {
		return &cli.Output{}
	}
	return &cli.Output{File: f.baseline, Force: f.Force}
}

// explainRule says what a rule means. It needs no target, so that the rule in a log
// can be looked up where the file is not.
func explainRule(sess *cli.Session, f *checkFlags, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("check --explain explains a rule, and checks no target such as %q", args[0])
	}
	names := ruleNames()
	if !slices.Contains(names, f.explain) {
		return cli.Usagef("there is no rule %q: %s", f.explain, cmp.Or(cli.DidYouMean(f.explain, names), "there are "+strings.Join(names, ", ")))
	}
	e := finding.Explain(safetensors.Rule(f.explain))
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		if f.json {
			return e.JSON(w, s)
		}
		return e.Text(w, s)
	})
}
