// The verb info: the tensors of a model, and what they come to.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model/compat"
)

// infoFlags are the flags of info.
type infoFlags struct {
	cli.SelectionFlags
	cli.Output
	json, csv, markdown bool
	tree, all           bool
	depth               int
	lenient             bool
	explain             bool
	compat              string
}

// infoCmd returns the verb. Whether layers are folded depends on where the
// output goes, so that is settled here and not by the default of a flag.
func infoCmd(sess *cli.Session) *cobra.Command {
	var f infoFlags
	cmd := &cobra.Command{
		Use:   "info TARGET...",
		Short: "list tensors, and sum up dtypes, files, parameters and bytes",
		Long: `Info lists the tensors of all targets, with dtype, shape, number of elements,
and size, and sums them up. It reads headers, and configurations beside them; of
data only the few bytes that say the shape of a packed weight.

A file that breaks rules is shown as far as it can be made out, with exit code 1.

On a terminal, layers that are equal are listed as one, as in
"model.layers.[0-23].mlp.up_proj.weight"; --all lists each. Output that goes
elsewhere is always complete; --all=false folds it.

A tree has a level for each word of a name, between dots. Words that lead to one
branch alone share a line, and count as the levels that they are: with --depth 2,
"model.layers" may be one line.

Of weights that are packed it says how many parameters they stand for, and of a model
with a config.json what that says of it. --explain names the rule that counted each
group of tensors; --compat says what another program counts, and why.

A GLOB matches a whole name. In it stand

  *       for any characters but a dot
  **      for any characters
  ?       for one character but a dot
  [a-z]   for one of these characters, [!a-z] for one of all others but a dot
  [0-23]  for a number from 0 to 23, as layers are listed that are equal
  \*      for the character itself, and so with any other`,
		Example: `  weigh info testdata/sample
  weigh info --include '**.mlp.*.weight' --sort bytes testdata/sample
  weigh info --json testdata/sample | jq '.totals.params'
  weigh info - < testdata/python/two-floats.safetensors`,
		GroupID:           cli.GroupLook,
		Args:              cli.TargetArgs(0, cli.AnyTarget),
		ValidArgsFunction: cli.CompleteFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			// Scripts want every tensor, people the few lines that differ.
			if !cmd.Flags().Changed("all") {
				f.all = !sess.Style().Terminal() || f.File != ""
			}
			if cmd.Flags().Changed("depth") && (!f.tree || f.depth < 1) {
				return cli.Usagef("--depth is how many levels of a --tree are shown, from 1")
			}
			return runInfo(sess, cmd, args, &f)
		},
	}
	f.SelectionFlags.Register(cmd)
	f.Output.Register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.tree, "tree", false, "show names as a tree, with the sums of its branches")
	fl.IntVar(&f.depth, "depth", 0, "show `N` levels of the tree")
	fl.BoolVar(&f.all, "all", false, "fold nothing, and shorten no list")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.info/1")
	fl.BoolVar(&f.csv, "csv", false, "write the tensors as CSV")
	fl.BoolVar(&f.markdown, "markdown", false, "write the tensors as a Markdown table")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	fl.BoolVar(&f.explain, "explain", false, "say which rule counted each group of tensors")
	fl.StringVar(&f.compat, "compat", "", "count as `PROGRAM` does, too: "+strings.Join(compat.Names(), " or "))
	cli.CompleteWords(cmd, "compat", compat.Names())
	return cmd
}

// check says early what is wrong with the flags.
func (f *infoFlags) check() error {
	switch {
	case f.compat != "" && !slices.Contains(compat.Names(), f.compat):
		return cli.Usagef("--compat cannot be %q, but %s", f.compat, strings.Join(compat.Names(), " or "))
	case (f.explain || f.compat != "") && (f.csv || f.markdown):
		return cli.Usagef("--explain and --compat have no place in a table of tensors: leave out --csv and --markdown")
	}
	return f.Output.Check()
}

// runInfo shows the targets. All that can be wrong with its flags is found before a
// file is opened, but for a dtype that only a file can tell.
func runInfo(sess *cli.Session, cmd *cobra.Command, args []string, f *infoFlags) error {
	sel, err := f.SelectionFlags.Read()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	found, err := newSurvey(cmd.Context(), sess, args, &surveyOptions{lenient: f.lenient, models: true})
	if err != nil {
		return err
	}
	defer found.closeModels()
	// Files may have dtypes that no list has, so this has to wait for them.
	if err := cli.CheckDtypes(&sel, found.Files); err != nil {
		return err
	}
	info := listing.NewInfo(found.Inventory, sel)
	if info.Models, err = found.counted(&sel, f.compat); err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if info.All > 0 && len(info.Rows) == 0 {
		sess.NoticeNoMatch(&f.SelectionFlags, found.Files)
	}
	err = sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		switch {
		case f.json:
			return info.JSON(w, s)
		case f.csv:
			return info.CSV(w, s)
		case f.markdown:
			return info.Markdown(w)
		}
		return info.Text(w, s, listing.InfoForm{Fold: !f.all, Tree: f.tree, Depth: f.depth, All: f.all, Explain: f.explain})
	})
	if err != nil {
		return err
	}
	if f.csv || f.markdown { // these have no place for it
		printFirst(sess, found.Findings, f.lenient)
	}
	return found.verdict(f.lenient)
}

// printFirst says which rule is broken first, of those for which files are
// refused.
func printFirst(sess *cli.Session, findings []finding.Finding, lenient bool) {
	for _, f := range findings {
		if f.Severity >= target.LeastRefused(lenient) {
			sess.PrintError(fmt.Errorf("%s: %s (bytes %d-%d, rule %s)", f.Label(), f.Detail, f.Span.Begin, f.Span.End, string(f.Rule)))
			return
		}
	}
}
