// The verb split: a model as shards of a maximum size.

package change

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// splitFlags are the flags of split.
type splitFlags struct {
	reshardFlags
	maxShard cli.ByteSize
	stem     string
}

// Split returns the verb.
func Split(sess *cli.Session) *cobra.Command {
	var f splitFlags
	cmd := &cobra.Command{
		Use:   "split TARGET -o DIR",
		Short: "Write a model as shards with an index",
		Long: `Write the tensors of a model, unchanged, to shards and an index in DIR. The model may
be one file, or shards of another size. Tensors are assigned to shards as in the
library huggingface_hub. A model that fits in one shard is written as one file,
without an index.

All files are renamed into place when they are complete and on disk; on any error,
nothing changes. Existing files are not overwritten without --force, and the input
never is without --in-place. --force also removes older shards with the same stem,
because a loader could take them for parts of the model.

The metadata is written to every shard. A SIZE is a number and a unit, as in 5GB (10^9 bytes
each) or 1.5GiB (2^30). A tensor larger than SIZE gets a shard of its own.

` + carriedHelp,
		Example: `  weigh split --dry-run --max-shard-size 100KB testdata/sample -o shards
  weigh split --max-shard-size 100KB testdata/sample -o shards
  weigh split --include 'model.**' --stem backbone testdata/sample -o shards`,
		Args: cli.TargetArgs(1, "one input: a file, a folder or an index"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runSplit(cmd.Context(), sess, target.Name(args[0]), &f)
		},
	}
	fl := cmd.Flags()
	cli.OutputVar(fl, &f.out, "write to the folder `DIR`, created if needed")
	f.maxShard = 5e9
	fl.Var(&f.maxShard, "max-shard-size", "maximum `SIZE` of a shard's data")
	fl.Lookup("max-shard-size").DefValue = "5GB"
	fl.StringVar(&f.stem, "stem", "", "begin file names with `STEM` instead of the model's")
	f.reshardFlags.register(cmd, "weigh.split/1")
	return cmd
}

// check returns the error of flags that contradict each other.
func (f *splitFlags) check(cmd *cobra.Command) error {
	switch {
	case f.out == "-":
		return cli.Usagef("split writes several files: -o takes the name of a folder")
	case f.out == "" && !f.inPlace:
		return cli.Usagef("split needs an output folder: -o DIR, or --in-place for the folder of the model")
	case f.maxShard < 1:
		return cli.Usagef("--max-shard-size must be at least one byte")
	case f.inPlace && f.stem != "":
		return cli.Usagef("--in-place keeps the names of the model: --stem needs another folder")
	case strings.ContainsAny(f.stem, `/\`):
		return cli.Usagef("--stem cannot be %q: it begins file names, and -o takes their folder", f.stem)
	}
	return f.reshardFlags.check(cmd)
}

// split writes the shards.
func runSplit(ctx context.Context, sess *cli.Session, arg target.Name, f *splitFlags) error {
	r, err := openInputs(ctx, sess, "split", []target.Name{arg}, &f.reshardFlags)
	if err != nil {
		return err
	}
	defer r.close()
	done := newProgress()
	r.opts.Progress, r.opts.MaxShard, r.opts.Stem = done.At, int64(f.maxShard), f.stem
	p, err := shards.Split(ctx, f.out, &r.opts, r.checkpoints()[0])
	if err := r.planned(err); err != nil {
		return err
	}
	return carryOut(ctx, sess, r, p, done)
}
