// The verb check: every rule that is broken.

package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// checkFlags are the flags of check.
type checkFlags struct {
	output
	json, sarif, all, data, lenient bool
	explain, failOn                 string
}

// checkCmd returns the verb. What it has beyond a verb that shows is when it
// fails: a check is run by machines, which read the exit code and nothing else.
func (a *app) checkCmd() *cobra.Command {
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
  nonconforming  the specification forbids it, the reference implementation reads it
  invalid        no conforming reader accepts it`,
		Example: `  weigh check testdata/sample
  weigh check --json testdata/sample | jq '.counts'
  weigh check --sarif -o weights.sarif testdata/sample
  weigh check --explain overlap`,
		GroupID:           groupJudge,
		ValidArgsFunction: completeFiles,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.explain != "" {
				return nil
			}
			return targets(0, anyTarget)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.explain != "" {
				return a.explain(&f, args)
			}
			return a.check(cmd, args, &f)
		},
	}
	f.output.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "show every finding, not five of each kind")
	fl.BoolVar(&f.data, "data", false, "read all values, too, and check digests that are known")
	fl.StringVar(&f.explain, "explain", "", "explain `RULE`, and check nothing")
	fl.StringVar(&f.failOn, "fail-on", "", "exit with 1 from `SEVERITY` on: note, warning, nonconforming (the default) or invalid")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.check/1")
	fl.BoolVar(&f.lenient, "lenient", false, lenientUsage+": fail only on what is invalid")
	fl.BoolVar(&f.sarif, "sarif", false, "write SARIF 2.1.0, for code scanners")
	completeWords(cmd, "fail-on", severityNames())
	completeWords(cmd, "explain", ruleNames())
	return cmd
}

// severityNames returns the names of severities, the most harmless first.
func severityNames() []string {
	var names []string
	for s := safetensors.Note; s <= safetensors.Invalid; s++ {
		names = append(names, s.String())
	}
	return names
}

// ruleNames returns the names of all rules, in the table's order.
func ruleNames() []string {
	var names []string
	for r := range safetensors.Rules() {
		names = append(names, string(r))
	}
	return names
}

// severity reads the flags that say when a check fails.
func (f *checkFlags) severity() (safetensors.Severity, error) {
	if f.failOn == "" {
		return refused(f.lenient), nil
	}
	names := severityNames()
	i := slices.Index(names, f.failOn)
	if i < 0 {
		return 0, usagef("--fail-on cannot be %q: %s", f.failOn, cmp.Or(didYouMean(f.failOn, names), "it is one of "+strings.Join(names, ", ")))
	}
	return safetensors.Severity(i), nil
}

// check judges the targets. It reports what it found even if not all could be
// read: a missing shard is no reason to be silent about a broken one.
func (a *app) check(cmd *cobra.Command, args []string, f *checkFlags) error {
	least, err := f.severity()
	if err != nil {
		return err
	}
	if err := f.output.check(); err != nil {
		return err
	}
	found, err := a.survey(cmd.Context(), args, &surveyOptions{lenient: f.lenient, thorough: true, data: f.data})
	if err != nil {
		return err
	}
	c := found.check(least)
	// Machines get a report all the same, or they could not tell this from a
	// program that crashed.
	if c.Nothing() && !f.json && !f.sarif {
		return errUnread // there is nothing to say that was not said
	}
	// Who names a file wants it, however quiet the rest.
	if !a.quiet || f.file != "" {
		err = a.write(&f.output, func(w io.Writer, s typeset.Style) error {
			switch {
			case f.json:
				return c.JSON(w, s)
			case f.sarif:
				return c.SARIF(w, s, buildVersion().Version)
			}
			return c.Text(w, s, f.all)
		})
	}
	if err != nil {
		return err
	}
	if c.Failed() {
		return errFound
	}
	return found.unread()
}

// explain says what a rule means. It needs no target, so that the rule in a log
// can be looked up where the file is not.
func (a *app) explain(f *checkFlags, args []string) error {
	if len(args) > 0 {
		return usagef("check --explain explains a rule, and checks no target such as %q", args[0])
	}
	names := ruleNames()
	if !slices.Contains(names, f.explain) {
		return usagef("there is no rule %q: %s", f.explain, cmp.Or(didYouMean(f.explain, names), "there are "+strings.Join(names, ", ")))
	}
	e := render.Explain(safetensors.Rule(f.explain))
	return a.write(&f.output, func(w io.Writer, s typeset.Style) error {
		if f.json {
			return e.JSON(w, s)
		}
		return e.Text(w, s)
	})
}

// didYouMean suggests one of words, or returns "".
func didYouMean(s string, words []string) string {
	if meant := suggest(s, words); meant != "" {
		return "did you mean " + strings.TrimSpace(meant) + "?"
	}
	return ""
}
