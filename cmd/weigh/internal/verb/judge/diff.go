// The command diff.

package judge

import (
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/diff"
	"github.com/weightools/safetensors/store"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	cli.NameFlags
	cli.Output
	all, lenient             bool
	headers, values, weights bool
	packed                   bool
	atol, rtol               float64
	sort, by                 string
	limit                    int
}

// Diff returns the command.
func Diff(sess *cli.Session) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two files or checkpoints",
		Long: `Compare tensors by name, independent of files and order: first names, dtypes and
shapes, then bytes. Diff reports each difference as one of these:

  removed, added  only A or only B has the tensor
  renamed         B has the same bytes under another name
  reshaped        the shape differs
  retyped         the dtype differs
  changed         the bytes differ

--values reports how far values are apart where bytes or dtypes differ: for each
tensor, for each component and for each layer

  DIFFER    number of values that differ
  MAX DIFF  largest |a-b|
  REL L2    norm of a-b, divided by the norm of a
  COSINE    cosine of the angle between a and b

Values are the numbers that dtypes represent; F8, F6 and F4 are converted exactly, and a
C64 element is two numbers. If only one side packs a weight, or both pack it in different
ways, diff compares the values that "weigh edit --unpack" writes, and adds the column NMSE:
the mean square of a-b, divided by the mean square of a. --packed compares the stored
tensors instead. DIFFER and MAX DIFF are exact for integers; norms are computed in float64.
NaNs are equal to each other, and so are infinities of the same sign. A NaN or infinity on
one side only counts in DIFFER, and in no other number. REL L2 is infinite if only a is
zero, and COSINE is undefined ("-") if a or b is zero.

--sort change lists the largest REL L2 first, and NaN or infinities before it. --by
layer or --by component lists only these, also with --csv.

With --values, --atol or --rtol, tensors whose values are all within the tolerance
count as equal, even if their dtypes differ. Two values are within it if |a-b| <= ATOL
+ RTOL*|a|. Both default to 0.

Metadata is compared, too, unless --no-metadata is set.

Diff can also compare a GGUF model with a transformers checkpoint. It reverses the
renaming and reordering of llama.cpp's converter, and tells whether the model was made
from the checkpoint: whether tensors differ only by rounding to their types. ERROR is the
mean square of a-b, and BY ROUNDING is the error that rounding causes, both as fractions
of the mean square of a. --all lists every tensor.

The exit code is 0 if there are no differences, and 1 if there are. A GLOB that
matches nothing in A or B is an error (exit code 2).`,
		Example: `  weigh diff testdata/sample testdata/sample
  weigh diff --headers testdata/sample testdata/sample
  weigh diff --rtol 0.01 testdata/sample testdata/sample
  weigh diff --values --sort change testdata/sample testdata/sample
  weigh diff --json testdata/sample testdata/sample | jq '.counts'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usagef("diff takes two targets, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runDiff(cmd.Context(), sess, target.Name(args[0]), target.Name(args[1]), &f)
		},
	}
	f.register(cmd)
	return cmd
}

// register adds the flags to the command.
func (f *diffFlags) register(cmd *cobra.Command) {
	f.NameFlags.Register(cmd, "compare", "weigh help info")
	f.Output.Register(cmd, "json", "write JSON, weigh.diff/1", "csv", "write CSV")
	fl := cmd.Flags()
	fl.BoolVar(&f.headers, "headers", false, "compare only names, dtypes and shapes; read no data")
	fl.BoolVar(&f.values, "values", false, "report how far values are apart")
	fl.Float64Var(&f.atol, "atol", 0, "absolute tolerance `X`")
	fl.Float64Var(&f.rtol, "rtol", 0, "relative tolerance `X`")
	fl.StringVar(&f.sort, "sort", "name", "sort by `KEY`: "+strings.Join(diffSortKeys, ", ")+"; change implies --values")
	fl.StringVar(&f.by, "by", "tensor", "list each `WHAT`: "+strings.Join(diffListed, ", ")+"; implies --values")
	fl.IntVar(&f.limit, "limit", 0, "list at most `N` tensors; totals still cover all")
	cli.CompleteWords(cmd, "sort", diffSortKeys)
	cli.CompleteWords(cmd, "by", diffListed)
	fl.BoolVar(&f.weights, "no-metadata", false, "do not compare metadata")
	fl.BoolVar(&f.all, "all", false, "list every tensor; do not fold layers")
	fl.BoolVar(&f.packed, "packed", false, "compare the stored tensors of packed weights, not their values")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
}

// Values of --sort and --by.
var (
	diffSortKeys = []string{"name", "change"}
	diffListed   = []string{"tensor", "layer", "component"}
)

// check validates the flags. A tolerance implies --values, and so do orders and lists of them.
func (f *diffFlags) check(cmd *cobra.Command) error {
	for _, tolerance := range []struct {
		flag string
		x    float64
	}{{"atol", f.atol}, {"rtol", f.rtol}} {
		if tolerance.x < 0 || math.IsNaN(tolerance.x) || math.IsInf(tolerance.x, 0) {
			return cli.Usagef("--%s must be a finite number from 0, not %v", tolerance.flag, tolerance.x)
		}
		f.values = f.values || cmd.Flags().Changed(tolerance.flag)
	}
	switch {
	case !slices.Contains(diffSortKeys, f.sort):
		return cli.UnknownValue("--sort", f.sort, diffSortKeys)
	case !slices.Contains(diffListed, f.by):
		return cli.UnknownValue("--by", f.by, diffListed)
	case f.limit < 0:
		return cli.Usagef("--limit cannot be negative: %d", f.limit)
	}
	f.values = f.values || f.sort == "change" || f.by != "tensor"
	if f.headers && f.values {
		return cli.Usagef("--headers cannot be combined with --values, --atol, --rtol, --by or --sort change, which read data")
	}
	return f.Output.Check()
}

// runDiff compares two targets.
func runDiff(ctx context.Context, sess *cli.Session, nameA, nameB target.Name, f *diffFlags) error {
	sel, err := (&cli.SelectionFlags{NameFlags: f.NameFlags}).Read()
	if err != nil {
		return err
	}
	sides, closeSides, err := openSides(ctx, sess, []target.Name{nameA, nameB}, f.lenient)
	defer closeSides()
	if err != nil {
		return err
	}
	unpacked := !f.packed && unpackSides(ctx, sess, sides)
	sides[0].choose(&sel)
	sides[1].choose(&sel)
	// A pattern may match tensors of only one side.
	if err := cli.CheckSelected(&sel, cli.InfosOf(sides[0].all, sides[1].all)); err != nil {
		return err
	}
	if err := sess.ProtectInputs(&f.Output); err != nil {
		return err
	}
	if i := convertedSides(ctx, sides); i >= 0 && f.isPlain() {
		names := [2]string{nameA.String(), nameB.String()}
		return runOrigin(ctx, sess, sides, i, &compare.Origin{Model: names[i], From: names[1-i]}, f)
	}
	d := &compare.Diff{A: nameA.String(), B: nameB.String(), HeadersOnly: f.headers, Values: f.values, Unpacked: unpacked,
		All: f.all, Sort: strings.TrimPrefix(f.sort, "name"), By: strings.TrimPrefix(f.by, "tensor"), Limit: f.limit}
	if err := compareSides(ctx, sess, d, sides, f); err != nil {
		return err
	}
	if err := sess.WriteForm(&f.Output, cli.Forms{"": d.Text, "json": d.JSON, "csv": d.CSV}); err != nil {
		return err
	}
	if d.Different() {
		return cli.ErrFound
	}
	return nil
}

// A side is one target of diff.
type side struct {
	parts    map[string][]*safetensors.Tensor // by what the part is called, "" if there is one alone
	metadata map[string]string                // of all files; the first value of each key
	models   []sidePart
	all      []*safetensors.Tensor // before selection
	tensors  int                   // number of selected tensors
	from     *target.Weights
}

// A sidePart is a model of a target.
type sidePart struct {
	name    string // as in side.parts
	cp      *checkpoint.Checkpoint
	located []checkpoint.Located
	tensors []*safetensors.Tensor // the same, with the values of packed weights in place of their parts
}

// choose selects the tensors to compare.
func (s *side) choose(sel *listing.Selection) {
	for _, one := range s.models {
		selected, _ := sel.Selected(one.tensors)
		s.parts[one.name] = append(s.parts[one.name], selected...)
		s.all = append(s.all, one.tensors...)
		s.tensors += len(selected)
	}
}

// openSides opens both targets and reads their headers: at once if one is remote, because each waits for its server.
func openSides(ctx context.Context, sess *cli.Session, names []target.Name, lenient bool) (sides [2]*side, closeAll func(), err error) {
	workers := 1
	for _, name := range names {
		if ref, err := store.Parse(string(name)); err == nil && ref.Scheme != "file" {
			workers = len(names)
		}
	}
	var open [2]*target.Weights
	err = cli.Parallel(ctx, workers, len(names), func(_ context.Context, i int) (err error) { // tensors outlive it
		if open[i], err = target.OpenWeights(ctx, sess, names[i], lenient); err != nil {
			return err
		}
		sides[i], err = readSide(ctx, open[i])
		return open[i].Fault(err)
	})
	return sides, func() {
		for _, w := range open {
			if w != nil {
				w.Close()
			}
		}
	}, err
}

// readSide reads the headers of a target.
func readSide(ctx context.Context, from *target.Weights) (*side, error) {
	s := &side{parts: make(map[string][]*safetensors.Tensor), metadata: make(map[string]string), from: from}
	for _, cp := range from.Parts {
		tensors, err := target.Located(ctx, cp)
		if err != nil {
			return nil, err
		}
		one := sidePart{name: partName(from, cp), cp: cp, located: tensors}
		for _, t := range tensors {
			one.tensors = append(one.tensors, t.Tensor)
		}
		s.models = append(s.models, one)
		for _, shard := range cp.Shards() {
			h, err := cp.Header(ctx, shard)
			if err != nil {
				return nil, err
			}
			for key, value := range h.Metadata {
				if _, ok := s.metadata[key]; !ok {
					s.metadata[key] = value
				}
			}
		}
	}
	return s, nil
}

// partName returns the name of a part of a pipeline: its folder, or its own name if the folder has
// several. It is "" if there is only one part.
func partName(from *target.Weights, cp *checkpoint.Checkpoint) string {
	if len(from.Parts) == 1 {
		return ""
	}
	name := cp.Set().Name
	folder := path.Dir(name)
	for _, other := range from.Parts {
		if other != cp && path.Dir(other.Set().Name) == folder {
			return name
		}
	}
	return folder
}

// compareSides adds the differences to d.
func compareSides(ctx context.Context, sess *cli.Session, d *compare.Diff, sides [2]*side, f *diffFlags) error {
	done := new(cli.Progress)
	for _, list := range sides[0].parts {
		done.Expect(list)
	}
	differ := &diff.Differ{HeadersOnly: f.headers, Values: f.values, Absolute: f.atol, Relative: f.rtol,
		Progress: done.Add}
	defer sess.ShowProgress(done)()
	names := maps.Clone(sides[0].parts)
	maps.Copy(names, sides[1].parts)
	for _, part := range slices.Sorted(maps.Keys(names)) {
		for c, err := range differ.Tensors(ctx, sides[0].parts[part], sides[1].parts[part]) {
			if err != nil {
				return err
			}
			d.Changes = append(d.Changes, compare.DiffChange{Change: c, Part: part})
		}
	}
	d.Tensors = [2]int{sides[0].tensors, sides[1].tensors}
	if !f.weights {
		d.Metadata = listing.KeyChanges(sides[0].metadata, sides[1].metadata)
	}
	return nil
}
