// The verb metadata: the strings that files carry, shown or changed.

package main

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/internal/ahead"
	"github.com/weightools/safetensors/model/metadata"
)

// metadataFlags are the flags of metadata.
type metadataFlags struct {
	keyFlags
	cli.Output
	json, lenient     bool
	raw, hashes       bool
	canonical, dryRun bool
}

// metadataCmd returns the verb.
func metadataCmd(sess *cli.Session) *cobra.Command {
	var f metadataFlags
	cmd := &cobra.Command{
		Use:   "metadata TARGET...",
		Short: "show or change the metadata of files",
		Long: `Metadata says what "__metadata__" means, the strings that a file carries by their
keys: what the model is, how and on what it was trained, as ModelSpec, sd-scripts,
PEFT and others write it. Other keys are shown as they are, JSON in strings taken
apart. With --raw all are shown as they are, JSON indented. Files that have the same
are shown once, and are named if others differ.

With --hashes it reads the files, tells the digests by which they are known (SHA-256,
AutoV1, AutoV2, AutoV3), and whether those that the metadata claims are true. The exit
code is 1 if one is false.

With --set and --unset it changes them, in place and in all files of one target, as
edit --in-place does: in milliseconds if the header has room, and otherwise by
writing the file anew, with room for the next time. See weigh edit --help.`,
		Example: `  weigh metadata testdata/python/metadata-json.safetensors
  weigh metadata --hashes testdata/sample
  weigh metadata --json testdata/sample | jq '.files[0].metadata.format'
  weigh metadata --set license=mit --unset format --dry-run testdata/sample`,
		GroupID:           cli.GroupLook,
		Args:              cli.TargetArgs(0, cli.AnyTarget),
		ValidArgsFunction: cli.CompleteFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.set)+len(f.unset) > 0 {
				if f.raw || f.hashes {
					return cli.Usagef("--raw and --hashes are about what is shown, and not about --set and --unset")
				}
				return setMetadata(sess, cmd, args, &f)
			}
			if f.canonical || f.dryRun {
				return cli.Usagef("--canonical and --dry-run are about --set and --unset")
			}
			return runMetadata(sess, cmd, args, &f)
		},
	}
	f.keyFlags.register(cmd)
	f.Output.Register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.metadata/1; of a change weigh.edit/1")
	fl.BoolVar(&f.raw, "raw", false, "show keys and values as they are")
	fl.BoolVar(&f.hashes, "hashes", false, "read the files, and check the digests that the metadata claims")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	fl.BoolVar(&f.canonical, "canonical", false, "of a change: write as the reference implementation does, without room in the header")
	fl.BoolVar(&f.dryRun, "dry-run", false, "of a change: say what would be done, and write nothing")
	return cmd
}

// runMetadata shows the metadata of all targets.
func runMetadata(sess *cli.Session, cmd *cobra.Command, args []string, f *metadataFlags) error {
	if err := f.Output.Check(); err != nil {
		return err
	}
	found, err := newSurvey(cmd.Context(), sess, args, &surveyOptions{lenient: f.lenient})
	if err != nil {
		return err
	}
	m := listing.Metadata{Inventory: found.Inventory}
	if f.hashes {
		if m.Sums, err = hashesOf(cmd.Context(), sess, found); err != nil {
			return err
		}
	}
	err = sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		if f.json {
			return m.JSON(w, s)
		}
		return m.Text(w, s, f.raw)
	})
	if err != nil {
		return err
	}
	if m.Failed() {
		return cli.ErrFound
	}
	return found.verdict(f.lenient)
}

// hashesOf reads the files of a survey, several at once, and returns their digests by
// their paths. Of a file without a header that can be read there are none.
func hashesOf(ctx context.Context, sess *cli.Session, found *survey) (map[string]*metadata.Sums, error) {
	done := new(cli.Progress)
	for _, f := range found.Files {
		if f.Path == "-" {
			return nil, cli.Usagef("--hashes needs files: standard input has no bytes to go back to")
		}
		done.Tensors++
		done.Bytes += f.Size
	}
	defer sess.ShowProgress(done)()
	type result struct {
		sums *metadata.Sums
		err  error
	}
	sums := make(map[string]*metadata.Sums)
	for i, r := range ahead.Each(ctx, runtime.GOMAXPROCS(0), len(found.Files), func(ctx context.Context, i int) result {
		one, err := hashesOfFile(ctx, sess, &found.Files[i])
		done.Count(found.Files[i].Size)
		return result{one, err}
	}) {
		if r.err != nil {
			return nil, r.err
		}
		if r.sums != nil {
			sums[found.Files[i].Path] = r.sums
		}
	}
	return sums, context.Cause(ctx)
}

// hashesOfFile reads one file.
func hashesOfFile(ctx context.Context, sess *cli.Session, f *listing.File) (*metadata.Sums, error) {
	if f.Header == nil || f.Format != "" { // another format has no such digests
		return nil, nil
	}
	at, err := target.Open(ctx, sess, f.Path, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	object, err := at.Store.Open(ctx, at.Within)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return metadata.Hashes(f.Header, object.ReaderAt(ctx), object.Size())
}

// setMetadata changes the metadata of one target.
func setMetadata(sess *cli.Session, cmd *cobra.Command, args []string, f *metadataFlags) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("metadata changes one target at a time, and not %d", len(args))
	case f.File != "" || f.Force:
		return cli.Usagef("metadata changes files in place: weigh edit -o writes elsewhere")
	}
	e := &edit.Edit{Canonical: f.canonical, DryRun: f.dryRun, Lenient: f.lenient}
	if err := f.keyFlags.read(e); err != nil {
		return err
	}
	return runEdit(cmd.Context(), sess, args[0], e, &editFlags{inPlace: true, json: f.json})
}
