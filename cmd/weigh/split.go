// The verb split: a model as shards of at most a size.

package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
)

// splitFlags are the flags of split.
type splitFlags struct {
	reshardFlags
	maxShard string
	stem     string
}

// splitCmd returns the verb.
func splitCmd(sess *cli.Session) *cobra.Command {
	var f splitFlags
	cmd := &cobra.Command{
		Use:   "split TARGET -o DIR",
		Short: "write a model as shards of at most a size, with their index",
		Long: `Split writes the tensors of a model, as they are, to shards and an index in DIR.
The model may be one file or shards of other sizes. Which tensor is in which shard
is as the library huggingface_hub has it. What fits one shard is one file, without
an index.

All files appear together when they are whole and on the disk, or none does. What
is in DIR already stays, unless --force says otherwise; then older shards of the
same name are removed, too, since a loader would take them for a part of the model.
With --in-place the new files replace those that are read. Files beside the model,
such as config.json, are not copied: the report names them.

Metadata goes into every shard. A SIZE is as in 5GB or 1.5GiB, a GB being 10^9 bytes
and a GiB 2^30. A tensor larger than that has a shard of its own.`,
		Example: `  weigh split --dry-run --max-shard-size 100KB testdata/sample -o shards
  weigh split --max-shard-size 100KB testdata/sample -o shards
  weigh split --include 'model.**' --stem backbone testdata/sample -o shards`,
		GroupID:           cli.GroupChange,
		Args:              cli.TargetArgs(1, "one model: a file, a folder or an index"),
		ValidArgsFunction: cli.CompleteFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runSplit(cmd.Context(), sess, args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write to the folder `DIR`, which is made if there is none")
	fl.StringVar(&f.maxShard, "max-shard-size", "5GB", "begin a new shard before one has more than `SIZE` of data")
	fl.StringVar(&f.stem, "stem", "", "begin the names of files with `STEM`, not as the model's begin")
	f.reshardFlags.register(cmd, "weigh.split/1")
	return cmd
}

// check says what is wrong with the flags.
func (f *splitFlags) check(cmd *cobra.Command) error {
	switch {
	case f.out == "-":
		return cli.Usagef("split writes several files, and standard output is one: -o takes the name of a folder")
	case f.out == "" && !f.inPlace:
		return cli.Usagef("split needs a folder to write to: -o DIR, or --in-place for that of the model")
	case f.inPlace && f.stem != "":
		return cli.Usagef("--in-place keeps the names of the model: --stem is for another folder")
	case strings.ContainsAny(f.stem, `/\`):
		return cli.Usagef("--stem cannot be %q: it begins the names of files, and -o takes their folder", f.stem)
	}
	if err := checkFolder(f.out); f.out != "" && err != nil {
		return err
	}
	return f.reshardFlags.check(cmd)
}

// runSplit writes the shards.
func runSplit(ctx context.Context, sess *cli.Session, target string, f *splitFlags) error {
	size, err := cli.ParseSize(f.maxShard)
	if err != nil {
		return cli.Usagef("--max-shard-size: %w", err)
	}
	g, err := gather(ctx, sess, "split", []string{target}, &f.reshardFlags)
	if err != nil {
		return err
	}
	defer g.close()
	from, dir := g.sources[0], f.out
	if f.inPlace {
		if dir, err = from.home(f.out); err != nil {
			return err
		}
	}
	return rewriteModel(ctx, sess, &rewriting{
		gathering: g, f: &f.reshardFlags, targets: allPrintable([]string{target}), schema: receipt.SplitSchema, dir: dir,
		writer: checkpoint.Writer{MaxShard: size, Stem: cmp.Or(f.stem, from.cp.Set().Stem())},
	})
}
