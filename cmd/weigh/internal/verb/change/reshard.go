// The flags and the steps that split and merge have in common.

package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// reshardFlags are the flags of both verbs.
type reshardFlags struct {
	cli.NameFlags
	foreignFlags
	carryFlags
	out       string
	metadata  string
	keepOrder bool
	dedup     bool // merge only
	inPlace   bool
	force     bool
	dryRun    bool
	verify    bool
	json      bool
	lenient   bool
}

// register adds the flags to a verb.
func (f *reshardFlags) register(cmd *cobra.Command, schema string) {
	f.NameFlags.Register(cmd, "write", "weigh help info")
	f.foreignFlags.register(cmd)
	f.carryFlags.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.keepOrder, "keep-order", false,
		"keep the order of tensors; do not sort them like the reference implementation")
	fl.StringVar(&f.metadata, "metadata", "", "on metadata conflicts keep `WHICH`: first, last or drop")
	fl.BoolVar(&f.inPlace, "in-place", false, "replace the input files")
	fl.BoolVar(&f.force, "force", false, "overwrite existing files (never the input)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would be written, but write nothing")
	fl.BoolVar(&f.verify, "verify", false,
		"read all output again and compare it before renaming it into place; the default with --json")
	fl.BoolVar(&f.json, "json", false, "write the report as JSON, "+schema)
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "metadata", conflictChoices)
}

// conflictChoices are the values of --metadata.
var conflictChoices = []string{string(shards.KeepFirst), string(shards.KeepLast), string(shards.DropBoth)}

// check returns the error of flags that contradict each other, and sets defaults.
func (f *reshardFlags) check(cmd *cobra.Command) error {
	if f.dryRun && f.verify {
		return cli.Usagef("--verify reads the output again, and --dry-run writes none")
	}
	if !cmd.Flags().Changed("verify") {
		f.verify = f.json && !f.dryRun
	}
	if f.metadata != "" && !slices.Contains(conflictChoices, f.metadata) {
		return cli.UnknownValue("--metadata", f.metadata, conflictChoices)
	}
	return nil
}

// A rewriting is a split or a merge.
type rewriting struct {
	*reshardFlags
	schema  string
	targets []target.Name
	inputs  []*target.Weights // each has one checkpoint
	skipped receipt.Skipped
	opts    shards.RewriteOptions
	chosen  glob.Filter
	names   []string // of all tensors, if there are patterns
}

// openInputs opens the one model at each target.
func openInputs(ctx context.Context, sess *cli.Session, verb string, targets []target.Name,
	f *reshardFlags) (r *rewriting, err error) {
	r = &rewriting{reshardFlags: f, targets: targets, schema: "weigh." + verb + "/1"}
	if r.chosen, err = f.NameFlags.Compile(); err != nil {
		return nil, err
	}
	if err := f.mend(sess, targets); err != nil {
		return nil, err
	}
	for _, arg := range targets {
		w, err := target.OpenWeights(ctx, sess, arg, f.lenient, target.Copied...)
		if err != nil {
			r.close()
			return nil, err
		}
		r.inputs = append(r.inputs, w)
		if n := len(w.Parts); n > 1 {
			r.close()
			return nil, target.SeveralModels(arg, n, w.At.Path(w.Parts[0].Set().Name))
		}
	}
	for _, w := range r.inputs {
		skipped, err := f.examine(ctx, sess, verb, w.Parts[0], w.At.Path)
		if err != nil {
			r.close()
			return nil, err
		}
		r.skipped = append(r.skipped, skipped...)
	}
	r.opts = shards.RewriteOptions{
		Select: r.selects, Dedup: f.dedup, Conflicts: shards.Conflicts(f.metadata), KeepOrder: f.keepOrder,
		InPlace: f.inPlace, Overwrite: f.force, Verify: f.verify, Digests: f.verify && f.json, Name: r.name,
	}
	return r, nil
}

// mend finishes what killed runs have begun in the output folder. An input folder is not written to: there it is an
// error.
func (f *reshardFlags) mend(sess *cli.Session, targets []target.Name) error {
	out := f.out
	if f.inPlace {
		out = string(targets[0])
	}
	if !f.dryRun && !f.streams() {
		if err := mend(sess, out); err != nil {
			return err
		}
	}
	for _, arg := range targets {
		if dir := shards.LocalFolder(string(arg)); dir != "" {
			if err := shards.Unfinished(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// close closes the inputs.
func (r *rewriting) close() {
	for _, w := range r.inputs {
		w.Close()
	}
}

// checkpoints returns the inputs.
func (r *rewriting) checkpoints() []*checkpoint.Checkpoint {
	list := make([]*checkpoint.Checkpoint, len(r.inputs))
	for i, w := range r.inputs {
		list[i] = w.Parts[0]
	}
	return list
}

// name returns the path by which the user can open a file of an input.
func (r *rewriting) name(cp *checkpoint.Checkpoint, path string) string {
	i := slices.IndexFunc(r.inputs, func(w *target.Weights) bool { return w.Parts[0] == cp })
	return r.inputs[i].At.Path(path)
}

// selects reports whether a tensor is written, and records its name.
func (r *rewriting) selects(name string) bool {
	if len(r.chosen.Include)+len(r.chosen.Exclude) > 0 {
		r.names = append(r.names, name)
	}
	return r.chosen.Has(name)
}

// planned returns the error of a plan in the words of the program. A pattern that
// matches nothing is probably a typing error, so it is one.
func (r *rewriting) planned(err error) error {
	unmatchedErr := cli.CheckMatched(slices.Concat(r.chosen.Include, r.chosen.Exclude), slices.Values(r.names))
	var invalid *fs.PathError
	var v *safetensors.Violation
	var twice *shards.DuplicateError
	var conflict *shards.MetadataError
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &v):
		return target.FileFault(invalid.Path, v)
	case errors.As(err, &twice) && twice.Difference == "":
		return cli.Usagef("%w: --dedup keeps one of each", err)
	case errors.As(err, &twice):
		return cli.Usagef("%w: rename or drop it in one of them with weigh edit first", err)
	case errors.As(err, &conflict):
		return cli.Usagef("%w: choose with --metadata %s", err, strings.Join(conflictChoices, "|"))
	case err == nil, errors.Is(err, shards.ErrRefused) && unmatchedErr != nil:
		return unmatchedErr
	}
	return writeFault(err, orInPlace)
}

// carryOut writes the plan, unless it is a dry run, and reports the files.
func carryOut(ctx context.Context, sess *cli.Session, r *rewriting, p *shards.Plan, done *cli.Progress) error {
	beside, err := r.find(ctx, sess, r.targets, r.out, p.Dir, r.force)
	if err != nil {
		return err
	}
	defer beside.Abort()
	if len(r.names) > 0 {
		beside.warnOfPart()
	}
	if err := beside.stage(ctx, r.dryRun); err != nil {
		return err
	}
	p.Beside = beside.Companions
	result := p.Receipt()
	if !r.dryRun {
		if result, err = writePlan(ctx, sess, p, done); err != nil {
			return err
		}
	}
	if err := beside.commit(r.dryRun); err != nil {
		return err
	}
	return sess.Receipt(&receipt.Reshard{
		Files: receipt.Files{Receipt: result, Carried: beside.report}, Skipped: r.skipped, Schema: r.schema,
		Targets: target.Printable(r.targets), InPlace: r.inPlace, MaxShard: r.opts.MaxShard, Digests: r.opts.Digests,
	}, r.json, r.dryRun)
}

// writePlan writes the plan.
func writePlan(ctx context.Context, sess *cli.Session, p *shards.Plan, done *cli.Progress) (*shards.Receipt, error) {
	sess.CheckSpace(p.Dir, p.Size())
	defer sess.ShowWriting(done)()
	written, err := p.Write(ctx)
	if errors.Is(err, syscall.ENOSPC) {
		return nil, fmt.Errorf("%w: the new files take %s, in addition to the files that they replace", err,
			typeset.Bytes(p.Size()))
	}
	if err != nil {
		return nil, writeFault(err, orInPlace)
	}
	return written, nil
}
