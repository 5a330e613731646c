// The command info.

// Package look contains the commands that inspect files: info, header, layout, cat and stats.
package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/model/compat"
)

// infoFlags are the flags of info.
type infoFlags struct {
	cli.SelectionFlags
	cli.Output
	all, lenient, explain bool
	depth                 int
	compat                string
}

const infoHelp = `Show the tensors of all targets with dtype, shape, parameters and size, and the
totals by dtype and file. Info reads headers and the configuration files next to
them, and a few bytes of data to learn the shape of packed weights.

Invalid files are shown as far as they can be read, with exit code 1.

On a terminal, equal layers are folded into one line, such as
"model.layers.[0-23].mlp.up_proj.weight"; --all lists each tensor. Other output
always lists each tensor, unless --all=false is set.

--tree groups tensors by the words of their names, between dots. A word with a
single child shares a line with it, and counts as a level of its own: with
--depth 2, "model.layers" may be one line.

For packed (quantized) weights, info shows how many parameters they represent; for
a model with a config.json, its architecture. --explain names the rule that counted
each group of tensors. --compat shows what another program counts, and why.

A GLOB matches whole names:

  *       any characters except a dot
  **      any characters
  ?       one character except a dot
  [a-z]   one of these characters; [!a-z] any other except a dot
  [0-23]  a number from 0 to 23, as in folded layers
  \*      a literal "*"; likewise for other characters

A GLOB or a --dtype that matches nothing is an error (exit code 2). Dtypes are known by
all their usual names: half, fp16 and torch.float16 are F16.`

// Info returns the command.
func Info(sess *cli.Session) *cobra.Command {
	var f infoFlags
	cmd := &cobra.Command{
		Use:   "info TARGET...",
		Short: "Show tensors, dtypes, shapes and sizes",
		Long:  infoHelp,
		Example: `  weigh info testdata/sample
  weigh info --include '**.mlp.*.weight' --sort bytes testdata/sample
  weigh info --json testdata/sample | jq '.totals.params'
  weigh info - < testdata/python/two-floats.safetensors`,
		Args: cli.TargetArgs(0, cli.AnyTarget),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The default of --all depends on the output: complete for programs, folded for
			// people.
			if !cmd.Flags().Changed("all") {
				f.all = !sess.Style().Terminal() || f.File != ""
			}
			if cmd.Flags().Changed("depth") && (f.Form() != "tree" || f.depth < 1) {
				return cli.Usagef("--depth needs --tree and a number of levels from 1")
			}
			return runInfo(sess, cmd, args, &f)
		},
	}
	f.SelectionFlags.Register(cmd)
	f.Output.Register(cmd, "json", "write JSON, weigh.info/2", "csv", "write the tensors as CSV",
		"markdown", "write the tensors as a Markdown table", "tree", "show names as a tree, with totals for each branch")
	fl := cmd.Flags()
	fl.IntVar(&f.depth, "depth", 0, "show at most `N` levels of the tree")
	fl.BoolVar(&f.all, "all", false, "list every tensor; do not fold layers or shorten lists")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	fl.BoolVar(&f.explain, "explain", false, "show which rule counted each group of tensors")
	fl.StringVar(&f.compat, "compat", "", "also count parameters as `PROGRAM` does: "+strings.Join(compat.Names(), " or "))
	cli.CompleteWords(cmd, "compat", compat.Names())
	return cmd
}

// bare reports whether the output is only a table of tensors, without a place for findings.
func (f *infoFlags) bare() bool { return f.Form() == "csv" || f.Form() == "markdown" }

// check validates the flags.
func (f *infoFlags) check() error {
	switch {
	case f.compat != "" && !slices.Contains(compat.Names(), f.compat):
		return cli.UnknownValue("--compat", f.compat, compat.Names())
	case (f.explain || f.compat != "") && f.bare():
		return cli.Usagef("--explain and --compat cannot be combined with --csv or --markdown")
	}
	return f.Output.Check()
}

// runInfo reports on the targets. It validates flags before it opens files, except dtypes.
func runInfo(sess *cli.Session, cmd *cobra.Command, args []string, f *infoFlags) error {
	sel, err := f.SelectionFlags.Read()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	found, err := survey.Run(cmd.Context(), sess, target.Names(args), &survey.Options{Lenient: f.lenient, Models: true})
	if err != nil {
		return err
	}
	defer found.CloseModels()
	info := listing.NewInfo(found.Inventory, sel)
	if err := checkSelected(info, &sel); err != nil {
		return err
	}
	if info.Models, err = found.Counted(&sel, f.compat); err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	info.Form = listing.InfoForm{Fold: !f.all, Tree: f.Form() == "tree", Depth: f.depth, All: f.all, Explain: f.explain}
	if err := sess.WriteForm(&f.Output, cli.Forms{"": info.Text, "tree": info.Text, "json": info.JSON, "csv": info.CSV,
		"markdown": info.Markdown}); err != nil {
		return err
	}
	if f.bare() {
		printFirst(sess, found.Findings, f.lenient)
	}
	return found.Verdict(f.lenient)
}

// checkSelected returns an error if a pattern matches no tensor, or if no tensor is selected. If a
// file could not be read, its findings matter more.
func checkSelected(info *listing.Info, sel *listing.Selection) error {
	if slices.ContainsFunc(info.Files, func(f listing.File) bool { return f.Header == nil }) {
		return nil
	}
	return cli.CheckSelected(sel, cli.InfosIn(info.Files))
}

// printFirst prints the first finding for which files are refused.
func printFirst(sess *cli.Session, findings []finding.Finding, lenient bool) {
	for _, f := range findings {
		if f.Severity >= target.LeastRefused(lenient) {
			v := *f.Violation
			if f.File != "-" {
				v.Fix = filetype.For(v.Fix, f.File)
			}
			sess.PrintError(fmt.Errorf("%s: %w", f.Label(), &v))
			return
		}
	}
}
