// The verb stats: the numbers in tensors, summed up.

package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/stats"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	cli.SelectionFlags
	cli.Output
	json, csv, digest, lenient bool
	plot, log                  bool
	svg                        string
	bins                       int
	failOn                     []string
}

// The parts of a histogram: those of JSON and plots if nothing else is said, and
// the most there may be.
const (
	usualBins = 64
	mostBins  = 4096
)

// statsCmd returns the verb.
func statsCmd(sess *cli.Session) *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats TARGET [GLOB...]",
		Short: "sum up the numbers in tensors: range, mean, NaN, histogram",
		Long: `Stats reads tensors, all or those whose names match a GLOB, and says of each how
many numbers it has, from where to where, their mean and standard deviation, and
how many are NaN, infinite or zero. Min, max, mean and std are of the finite
numbers, and exact: the table rounds them to six digits, JSON and CSV do not. An
element of C64 is two numbers.

What is odd about a tensor is a flag:

  nan, inf   a number is not finite
  all-zero   every number is zero
  constant   every number is the same
  saturated  numbers seem to be cut off at the dtype's largest
  empty      there are no numbers

The exit code is 0 whatever was found: stats reports, and does not judge. With
--fail-on it is 1 if a tensor has one of these flags. A GLOB that matches nothing
is wrong usage, so that a slip does not pass.`,
		Example: `  weigh stats testdata/sample
  weigh stats testdata/sample '**.mlp.**' --plot
  weigh stats --fail-on nan,inf testdata/sample
  weigh stats --json testdata/sample | jq '.tensors[0].histogram.counts'`,
		GroupID:           cli.GroupLook,
		ValidArgsFunction: cli.CompleteFiles,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("stats needs a target, and may be given patterns of names")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runStats(cmd.Context(), sess, args, &f)
		},
	}
	f.SelectionFlags.Register(cmd)
	f.Output.Register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.stats/1")
	fl.BoolVar(&f.csv, "csv", false, "write CSV")
	fl.BoolVar(&f.plot, "plot", false, "draw the histogram of each tensor")
	fl.StringVar(&f.svg, "svg", "", "draw them to `FILE`, as SVG, besides")
	fl.BoolVar(&f.log, "log", false, "draw heights by the logarithm of counts")
	fl.IntVar(&f.bins, "bins", usualBins, "make histograms of `N` parts; 0 means none")
	fl.BoolVar(&f.digest, "digest", false, "tell the SHA-256 of each tensor's bytes, too")
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 if a tensor has `FLAG`, may be repeated")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "fail-on", statsFlagNames)
	return cmd
}

// statsFlagNames are what --fail-on can be.
var statsFlagNames = []string{
	string(stats.Empty), string(stats.AllZero), string(stats.Constant),
	string(stats.HasNaN), string(stats.HasInf), string(stats.Saturated),
}

// check says what is wrong with the flags.
func (f *statsFlags) check(cmd *cobra.Command) error {
	for _, name := range f.failOn {
		if slices.Contains(statsFlagNames, name) {
			continue
		}
		if meant := cli.DidYouMean(name, statsFlagNames); meant != "" {
			return cli.Usagef("--fail-on cannot be %q: %s", name, meant)
		}
		return cli.Usagef("--fail-on cannot be %q, but one of %s", name, strings.Join(statsFlagNames, ", "))
	}
	drawn := f.plot || f.svg != ""
	switch {
	case f.bins < 0 || f.bins > mostBins:
		return cli.Usagef("--bins is %d, and can be 0 to %d", f.bins, mostBins)
	case f.bins == 0 && drawn:
		return cli.Usagef("--bins 0 leaves nothing to draw")
	case f.plot && (f.json || f.csv):
		return cli.Usagef("--plot draws below the table, and --json and --csv have none: --svg draws to a file")
	case len(f.failOn) > 0 && f.Limit > 0:
		return cli.Usagef("--fail-on judges every tensor that is selected, and --limit leaves some out: choose one of them")
	case f.log && !drawn:
		return cli.Usagef("--log is about --plot and --svg")
	case cmd.Flags().Changed("bins") && f.bins > 0 && !drawn && !f.json:
		return cli.Usagef("--bins is about --plot, --svg and --json")
	}
	return errors.Join(f.Output.Check(), f.drawing().Check())
}

// drawing returns where the drawing goes.
func (f *statsFlags) drawing() *cli.Output { return &cli.Output{File: f.svg, Force: f.Force} }

// counter returns how tensors are counted. A histogram may take a second pass, so
// there is none where none is shown.
func (f *statsFlags) counter() stats.Counter {
	c := stats.Counter{SHA256: f.digest}
	if f.json || f.plot || f.svg != "" {
		c.Bins = f.bins
	}
	return c
}

// runStats sums up the tensors of a target.
func runStats(ctx context.Context, sess *cli.Session, args []string, f *statsFlags) error {
	sel, err := f.SelectionFlags.Read()
	if err != nil {
		return err
	}
	patterns, err := cli.CompileAll("GLOB", args[1:])
	if err != nil {
		return err
	}
	sel.Include = append(sel.Include, patterns...)
	from, err := target.OpenWeights(ctx, sess, "stats", args[0], f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, o := range []*cli.Output{&f.Output, f.drawing()} {
		if err := sess.ProtectInputs(o); err != nil { // which is asked again later: to count may take an hour
			return err
		}
	}
	all, err := from.Tensors(ctx)
	if err != nil {
		return from.Fault(err)
	}
	if err := cli.CheckMatched(sel.Include, cli.NamesOf(all)); err != nil {
		return err
	}
	st := &values.Stats{All: len(all), Digest: f.digest}
	selected, truncated := sel.Selected(all)
	if len(selected) == 0 && len(all) > 0 {
		// To find nothing wrong with nothing is no answer that a script should get.
		if len(f.failOn) > 0 {
			return cli.Usagef("no tensor matches, so that there is none to judge: weigh info lists those there are")
		}
		sess.Notice("no tensor matches")
	}
	st.Truncated = truncated
	if st.Rows, err = countTensors(ctx, sess, f.counter(), selected); err != nil {
		return err
	}
	if err := writeStats(sess, st, f); err != nil {
		return err
	}
	return f.verdict(st)
}

// writeStats writes the report and the drawing.
func writeStats(sess *cli.Session, st *values.Stats, f *statsFlags) error {
	plot := &values.Plot{Log: f.log}
	err := sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		switch {
		case f.json:
			return st.JSON(w, s)
		case f.csv:
			return st.CSV(w, s)
		case f.plot:
			return st.Text(w, s, plot)
		}
		return st.Text(w, s, nil)
	})
	if err != nil || f.svg == "" {
		return err
	}
	return sess.Write(f.drawing(), func(w io.Writer, _ typeset.Style) error { return st.SVG(w, plot) })
}

// verdict returns errFound if a tensor has a flag that is a failure.
func (f *statsFlags) verdict(st *values.Stats) error {
	for i := range st.Rows {
		for _, flag := range st.Rows[i].Summary.Flags() {
			if slices.Contains(f.failOn, string(flag)) {
				return cli.ErrFound
			}
		}
	}
	return nil
}
