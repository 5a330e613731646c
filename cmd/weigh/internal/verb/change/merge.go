// The verb merge: shards, or several models, as one file.

package change

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// Merge returns the verb.
func Merge(sess *cli.Session) *cobra.Command {
	var f reshardFlags
	cmd := &cobra.Command{
		Use:   "merge TARGET... -o FILE",
		Short: "Write shards or several models as one file",
		Long: `Write the tensors of all inputs, unchanged, to one file: byte for byte the file that
the reference implementation would write. If FILE does not end in ".safetensors", it is a
folder, and the file in it is named after the model. An adapter such as LoRA is stored
beside the other tensors; it is not added to the weights.

Two tensors with the same name are an error; --dedup keeps one if their bytes are
equal. The metadata of all files is combined; --metadata says which value to keep if
two files differ.

The output is renamed into place when it is complete and on disk. Existing files are
not overwritten without --force, and the input never is without --in-place. --force
also removes shards and an index with the same stem, because a loader could load them
instead. With -o - the file goes to standard output, without a report.

` + carriedHelp,
		Example: `  weigh merge --dry-run testdata/sample -o merged/model.safetensors
  weigh merge testdata/sample -o merged/model.safetensors
  weigh merge testdata/sample -o - | sha256sum`,
		Args: cli.TargetArgs(0, "an input: files, a folder or an index"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkMerge(cmd, args); err != nil {
				return err
			}
			return runMerge(cmd.Context(), sess, args, &f)
		},
	}
	fl := cmd.Flags()
	cli.OutputVar(fl, &f.out, "write to `FILE`, to a file in a folder, or to standard output if it is -")
	fl.BoolVar(&f.dedup, "dedup", false, "keep one of several tensors with the same name and equal bytes")
	f.register(cmd, "weigh.merge/1")
	return cmd
}

// checkMerge returns the error of flags that contradict each other.
func (f *reshardFlags) checkMerge(cmd *cobra.Command, args []string) error {
	switch {
	case f.out == "" && !f.inPlace:
		return cli.Usagef("merge needs an output: -o FILE or -o DIR, or --in-place for one in the folder of the model")
	case f.inPlace && f.out != "":
		return cli.Usagef("--in-place names the file after the model, and -o names it %q: choose one of them", f.out)
	case f.inPlace && len(args) > 1:
		return cli.Usagef("--in-place merges the shards of one model, and there are %d inputs", len(args))
	case f.streams() && (f.json || f.verify || f.dryRun):
		return cli.Usagef("-o %s writes no report: --json, --verify and --dry-run need a file", f.out)
	}
	return f.check(cmd)
}

// streams reports whether the output is a pipe or a device, which cannot be replaced.
func (f *reshardFlags) streams() bool {
	if f.out == "-" {
		return true
	}
	info, err := os.Stat(f.out)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// merge writes the file.
func runMerge(ctx context.Context, sess *cli.Session, args []string, f *reshardFlags) error {
	r, err := openInputs(ctx, sess, "merge", target.Names(args), f)
	if err != nil {
		return err
	}
	defer r.close()
	done := newProgress()
	r.opts.Progress = done.At
	if f.streams() {
		p, err := shards.Merge(ctx, "", &r.opts, r.checkpoints()...)
		if err := r.planned(err); err != nil {
			return err
		}
		noticeAdapters(sess, p)
		return streamMerged(ctx, sess, p, f.out, done)
	}
	p, err := shards.Merge(ctx, f.out, &r.opts, r.checkpoints()...)
	if err := r.planned(err); err != nil {
		return err
	}
	noticeAdapters(sess, p)
	return carryOut(ctx, sess, r, p, done)
}

// noticeAdapters says that an adapter is not applied to the other inputs.
func noticeAdapters(sess *cli.Session, p *shards.Plan) {
	for _, file := range p.Adapters() {
		sess.Notice("%q is an adapter, and this is not a LoRA merge: its tensors are written beside the others, and not "+
			"added to the weights; merge_and_unload() of the library peft does that", file)
	}
}

// stream writes the file to a pipe or a device, which cannot be undone.
func streamMerged(ctx context.Context, sess *cli.Session, p *shards.Plan, out string, done *cli.Progress) error {
	defer sess.ShowProgress(done)()
	if out == "-" {
		if err := sess.ProtectStdout(); err != nil {
			return err
		}
		return p.Stream(ctx, sess.Stdout)
	}
	w, err := sess.OpenDevice(out)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { w.Close() })() // a write may block
	return errors.Join(p.Stream(ctx, w), w.Close())
}
