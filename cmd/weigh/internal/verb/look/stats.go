// The command stats.

package look

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/stats"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	cli.SelectionFlags
	cli.Output
	digest, lenient bool
	packed          bool
	plot, log       bool
	flagged         bool
	svg             string
	bins            int
	failOn          []string
}

// Default and maximum number of histogram bins.
const (
	usualBins = 64
	mostBins  = 4096
)

// Stats returns the command.
func Stats(sess *cli.Session) *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats TARGET [GLOB...]",
		Short: "Show statistics of the values in tensors",
		Long: `Read tensors, all or those whose names match a GLOB, and show for each the number of
values, minimum, maximum, mean and standard deviation, and how many values are NaN,
infinite or zero. Minimum, maximum, mean and standard deviation cover the finite
values and are exact: the table rounds them to six digits, JSON and CSV do not. A
C64 element counts as two values. Packed weights have the values that "weigh edit
--unpack" writes, and --packed shows the stored tensors.

Unusual tensors get flags:

  nan, inf   some values are not finite
  all-zero   every value is zero
  constant   every value is the same
  saturated  values seem to be clipped at the dtype's maximum
  empty      there are no values

--flagged lists only these, and the last line counts them among all selected tensors.
--limit shortens the list, not the totals; without --flagged and --sort by a value, the
tensors that it leaves out are not read. --sort max, std, nan and others list the largest number
first, and min the smallest.

The exit code is 0 for any result. With --fail-on it is 1 if a tensor has one of
the given flags. A GLOB that matches nothing is an error (exit code 2).`,
		Example: `  weigh stats testdata/sample
  weigh stats testdata/sample '**.mlp.**' --plot
  weigh stats --flagged --sort nan testdata/sample
  weigh stats --fail-on nan,inf testdata/sample
  weigh stats --json testdata/sample | jq '.tensors[0].histogram.counts'`,
		Args: cli.TargetArgs(0, "a target; name patterns may follow it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runStats(cmd.Context(), sess, args, &f)
		},
	}
	f.ValueKeys = values.StatsKeys
	f.SelectionFlags.Register(cmd)
	f.Output.Register(cmd, "json", "write JSON, weigh.stats/1", "csv", "write CSV")
	fl := cmd.Flags()
	fl.BoolVar(&f.flagged, "flagged", false, "list only tensors with a flag")
	fl.BoolVar(&f.plot, "plot", false, "draw a histogram of each tensor")
	fl.StringVar(&f.svg, "svg", "", "also draw histograms to `FILE`, as SVG")
	fl.BoolVar(&f.log, "log", false, "use a logarithmic scale for histograms")
	fl.IntVar(&f.bins, "bins", usualBins, "use `N` histogram bins; 0 means no histogram")
	fl.BoolVar(&f.digest, "digest", false, "also print the SHA-256 of each tensor's bytes")
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 if a tensor has `FLAG` (repeatable)")
	fl.BoolVar(&f.packed, "packed", false, target.PackedUsage)
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "fail-on", statsFlagNames)
	return cmd
}

// statsFlagNames are the values of --fail-on.
var statsFlagNames = []string{
	string(stats.Empty), string(stats.AllZero), string(stats.Constant),
	string(stats.HasNaN), string(stats.HasInf), string(stats.Saturated),
}

// check validates the flags.
func (f *statsFlags) check(cmd *cobra.Command) error {
	for _, name := range f.failOn {
		if slices.Contains(statsFlagNames, name) {
			continue
		}
		return cli.UnknownValue("--fail-on", name, statsFlagNames)
	}
	drawn := f.plot || f.svg != ""
	switch {
	case f.bins < 0 || f.bins > mostBins:
		return cli.Usagef("--bins must be from 0 to %[2]d, not %[1]d", f.bins, mostBins)
	case f.bins == 0 && drawn:
		return cli.Usagef("--bins 0 disables histograms; leave it out to draw them")
	case f.plot && f.Form() != "":
		return cli.Usagef("--plot draws into the table, which --json and --csv do not have; use --svg to draw to a file")
	case len(f.failOn) > 0 && f.Limit > 0 && f.ValueKey() == "" && !f.flagged:
		return cli.Usagef("--fail-on cannot be combined with --limit, which skips tensors")
	case f.log && !drawn:
		return cli.Usagef("--log needs --plot or --svg")
	case cmd.Flags().Changed("bins") && f.bins > 0 && !drawn && f.Form() != "json":
		return cli.Usagef("--bins needs --plot, --svg or --json")
	}
	return errors.Join(f.Output.Check(), f.drawing().Check())
}

// drawing returns the output for the SVG.
func (f *statsFlags) drawing() *cli.Output { return &cli.Output{File: f.svg, Force: f.Force} }

// counter returns the options for statistics. Histograms are computed only if shown, since they
// may need a second pass.
func (f *statsFlags) counter() stats.Counter {
	c := stats.Counter{SHA256: f.digest}
	if f.Form() == "json" || f.plot || f.svg != "" {
		c.Bins = f.bins
	}
	return c
}

// runStats reports on the tensors of a target.
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
	from, err := target.OpenWeights(ctx, sess, target.Name(args[0]), f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	if !f.packed {
		from.Unpack(sess)
	}
	for _, o := range []*cli.Output{&f.Output, f.drawing()} {
		if err := sess.ProtectInputs(o); err != nil { // fail early; counting may take an hour
			return err
		}
	}
	all, err := from.Tensors(ctx)
	if err != nil {
		return from.Fault(err)
	}
	sel.Limit = 0 // totals count all
	selected, _ := sel.Selected(all)
	// Scripts must not take it for success if none is selected.
	if err := cli.CheckSelected(&sel, cli.InfosOf(all)); err != nil {
		return err
	}
	st := &values.Stats{All: len(all), Digest: f.digest, Plot: values.Plot{Log: f.log, Text: f.plot}}
	// Which tensors come first by a value, or have flags, is not known yet.
	if f.Limit > 0 && f.Limit < len(selected) && !f.flagged && f.ValueKey() == "" {
		for _, t := range selected[f.Limit:] {
			st.Rest = append(st.Rest, values.StatsRow{TensorInfo: t.TensorInfo})
		}
		selected = selected[:f.Limit]
	}
	if st.Rows, err = countTensors(ctx, sess, f.counter(), selected); err != nil {
		return err
	}
	verdict := f.verdict(st)
	if f.flagged || f.ValueKey() != "" {
		st.Arrange(f.ValueKey(), f.Reverse, f.flagged, f.Limit)
	}
	if err := writeStats(sess, st, f); err != nil {
		return err
	}
	return verdict
}

// writeStats writes the report and the SVG.
func writeStats(sess *cli.Session, st *values.Stats, f *statsFlags) error {
	err := sess.WriteForm(&f.Output, cli.Forms{"": st.Text, "json": st.JSON, "csv": st.CSV})
	if err != nil || f.svg == "" {
		return err
	}
	return sess.Write(f.drawing(), st.SVG)
}

// verdict returns ErrFound if a tensor has a flag of --fail-on.
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

// most is the largest number of tensors processed at once, each by one goroutine. A single tensor is split among
// several; see stats.Counter. Each goroutine needs about 2 MiB.
const most = 16

// countTensors computes the statistics of tensors. Rows are in the order of the list. It returns
// the error of the first tensor in the list that has one.
func countTensors(ctx context.Context, sess *cli.Session, c stats.Counter,
	list []*safetensors.Tensor) ([]values.StatsRow, error) {
	if len(list) > 1 {
		c.Workers = 1
	}
	rows := make([]values.StatsRow, len(list))
	done := new(cli.Progress)
	done.Expect(list)
	for _, t := range list {
		if c.Bins > 0 && t.Dtype.Bits() > 16 { // histograms of wide dtypes need a second pass
			done.Bytes.Add(t.Size())
		}
	}
	defer sess.ShowProgress(done)()
	return rows, cli.Parallel(ctx, min(runtime.GOMAXPROCS(0), most), len(list), func(ctx context.Context, i int) (err error) {
		t := *list[i]
		t.ReaderAt = done.Reader(ctx, list[i].ReaderAt)
		rows[i].TensorInfo = t.TensorInfo
		if rows[i].Summary, err = c.Of(&t); err == nil {
			rows[i].Summary.Exponents = stats.Exponents{} // up to 16 KiB, unused here
			done.Count(0)
		}
		return err
	})
}
