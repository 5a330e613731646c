// The verb merge: models, or the shards of one, as one file.

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/internal/filecopy"
)

// mergeCmd returns the verb.
func mergeCmd(sess *cli.Session) *cobra.Command {
	var f reshardFlags
	cmd := &cobra.Command{
		Use:   "merge TARGET... -o FILE",
		Short: "write the shards of a model, or several models, as one file",
		Long: `Merge writes the tensors of all targets, as they are, to one file: that which the
reference implementation would write of them.

No two tensors may have one name. Metadata is that of all files together; where
they differ, --metadata says which to take.

The file appears when it is whole and on the disk. What has the name already stays,
unless --force says otherwise; then shards and an index of the same name are
removed, too, since a loader would take them for the model. With --in-place the
file replaces the shards that are read. Files beside the model, such as config.json,
are not copied: the report names them. With -o - the file goes to standard output,
and nothing is reported.`,
		Example: `  weigh merge --dry-run testdata/sample -o merged/model.safetensors
  weigh merge testdata/sample -o merged/model.safetensors
  weigh merge testdata/sample -o - | sha256sum`,
		GroupID:           cli.GroupChange,
		Args:              cli.TargetArgs(0, "a target: files, a folder or an index"),
		ValidArgsFunction: cli.CompleteFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkMerge(cmd, args); err != nil {
				return err
			}
			return runMerge(cmd.Context(), sess, args, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`, or to standard output if that is -")
	fl.BoolVar(&f.dedup, "dedup", false, "keep one of tensors that have one name and the same bytes")
	f.register(cmd, "weigh.merge/1")
	return cmd
}

// weightsEnd is what the name of a file of weights ends in, if it is to be found.
const weightsEnd = ".safetensors"

// checkMerge says what is wrong with the flags.
func (f *reshardFlags) checkMerge(cmd *cobra.Command, args []string) error {
	switch {
	case f.out == "" && !f.inPlace:
		return cli.Usagef("merge needs a file to write to: -o FILE, or --in-place for one in the folder of the model")
	case f.inPlace && f.out != "":
		return cli.Usagef("--in-place gives the file the name of the model: -o is for another one")
	case f.inPlace && len(args) > 1:
		return cli.Usagef("--in-place is for the shards of one model, and not for %d targets", len(args))
	case f.streams() && (f.json || f.verify || f.dryRun):
		return cli.Usagef("-o %s leaves nothing to report: --json, --verify and --dry-run are for files", f.out)
	case f.inPlace || f.streams():
	case isFolder(f.out):
		return cli.Usagef("%q is a folder: name a file in it, such as %q", f.out, slashed(f.out, "model"+weightsEnd))
	case !strings.HasSuffix(f.out, weightsEnd):
		return cli.Usagef("%q does not end in %q, by which readers find weights", f.out, weightsEnd)
	}
	return f.check(cmd)
}

// streams says whether the output is no file that could appear when it is whole.
func (f *reshardFlags) streams() bool {
	if f.out == "-" {
		return true
	}
	info, err := os.Stat(f.out)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// runMerge writes the file.
func runMerge(ctx context.Context, sess *cli.Session, args []string, f *reshardFlags) error {
	g, err := gather(ctx, sess, "merge", args, f)
	if err != nil {
		return err
	}
	defer g.close()
	if f.streams() {
		return streamMerged(ctx, sess, g, f)
	}
	r := &rewriting{gathering: g, f: f, targets: allPrintable(args), schema: receipt.MergeSchema}
	if f.inPlace {
		from := g.sources[0]
		if r.dir, err = from.home(""); err != nil {
			return err
		}
		r.writer.Stem = from.cp.Set().Stem()
	} else {
		r.dir, r.writer.Stem = filepath.Dir(f.out), strings.TrimSuffix(filepath.Base(f.out), weightsEnd)
	}
	return rewriteModel(ctx, sess, r)
}

// streamMerged writes the file to where it cannot be taken back.
func streamMerged(ctx context.Context, sess *cli.Session, g *gathering, f *reshardFlags) error {
	e := safetensors.Encoder{Metadata: g.metadata, KeepOrder: f.keepOrder}
	if f.out == "-" {
		if err := sess.ProtectStdout(); err != nil {
			return err
		}
		return encodeCounted(ctx, sess, g, e, sess.Stdout)
	}
	w, err := os.OpenFile(f.out, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(encodeCounted(ctx, sess, g, e, w), w.Close())
}

// encodeCounted encodes the file, and shows how far it is.
func encodeCounted(ctx context.Context, sess *cli.Session, g *gathering, e safetensors.Encoder, w io.Writer) error {
	h, err := e.Plan(g.tensors()...)
	if err != nil {
		return err
	}
	done := &copying{bytes: h.DataStart()}
	for _, one := range g.parts {
		done.bytes += one.Size()
	}
	defer sess.ShowProgress(done)()
	return e.Encode(filecopy.Watch(ctx, w, done.wrote), g.tensors()...)
}
