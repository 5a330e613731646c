// The command metadata.

package change

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/model/metadata"
)

// metadataFlags are the flags of metadata.
type metadataFlags struct {
	keyFlags
	cli.Output
	lenient           bool
	raw, hashes       bool
	canonical, dryRun bool
}

// Metadata returns the command.
func Metadata(sess *cli.Session) *cobra.Command {
	var f metadataFlags
	cmd := &cobra.Command{
		Use:   "metadata TARGET...",
		Short: "Show or change metadata",
		Long: `Show the "__metadata__" of files in readable form: what the model is, and how and on
what it was trained, as ModelSpec, sd-scripts, PEFT and other programs record it.
Other keys are shown unchanged. --raw shows all keys unchanged, with JSON indented.
Files with the same metadata are shown once.

--hashes reads the files, prints the hashes by which model sites know them (SHA-256,
AutoV1, AutoV2, AutoV3), and verifies hashes in the metadata. The exit code is 1 if
one does not match.

--set and --unset change the metadata of one target in place, like edit --in-place:
within the existing header if the new one fits, otherwise by rewriting the file with
room for later changes. See weigh edit --help.`,
		Example: `  weigh metadata testdata/python/metadata-json.safetensors
  weigh metadata --hashes testdata/sample
  weigh metadata --json testdata/sample | jq '.files[0].metadata.format'
  weigh metadata --set license=mit --unset format --dry-run testdata/sample`,
		Args: cli.TargetArgs(0, cli.AnyTarget),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.set)+len(f.unset) > 0 {
				if f.raw || f.hashes {
					return cli.Usagef("--raw and --hashes cannot be combined with --set or --unset")
				}
				return setMetadata(sess, cmd, args, &f)
			}
			if f.canonical || f.dryRun {
				return cli.Usagef("--canonical and --dry-run need --set or --unset")
			}
			return runMetadata(sess, cmd, args, &f)
		},
	}
	f.keyFlags.register(cmd)
	f.Output.Register(cmd, "json", "write JSON: weigh.metadata/1, or weigh.edit/1 for a change")
	fl := cmd.Flags()
	fl.BoolVar(&f.raw, "raw", false, "show keys and values unchanged")
	fl.BoolVar(&f.hashes, "hashes", false, "read the files and verify hashes in the metadata")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	fl.BoolVar(&f.canonical, "canonical", false,
		"with --set or --unset: write no spare room into the header, like the reference implementation")
	fl.BoolVar(&f.dryRun, "dry-run", false, "with --set or --unset: show the changes, but write nothing")
	return cmd
}

// runMetadata shows the metadata of all targets.
func runMetadata(sess *cli.Session, cmd *cobra.Command, args []string, f *metadataFlags) error {
	if err := f.Output.Check(); err != nil {
		return err
	}
	found, err := survey.Run(cmd.Context(), sess, target.Names(args), &survey.Options{Lenient: f.lenient})
	if err != nil {
		return err
	}
	m := &listing.Metadata{Inventory: found.Inventory, Raw: f.raw}
	if f.hashes {
		if m.Sums, err = hashesOf(cmd.Context(), sess, found); err != nil {
			return err
		}
	}
	if err := sess.Report(&f.Output, m); err != nil {
		return err
	}
	if m.Failed() {
		return cli.ErrFound
	}
	return found.Verdict(f.lenient)
}

// hashesOf reads files in parallel and returns their digests by path. It skips files without a
// readable header.
func hashesOf(ctx context.Context, sess *cli.Session, found *survey.Survey) (map[string]*metadata.Sums, error) {
	done := &cli.Progress{Unit: "file"}
	for _, f := range found.Files {
		if f.Path == "-" {
			return nil, cli.ErrStdin
		}
		done.Tensors++
		done.Bytes.Add(f.Size)
	}
	defer sess.ShowProgress(done)()
	list := make([]*metadata.Sums, len(found.Files))
	err := cli.Parallel(ctx, runtime.GOMAXPROCS(0), len(list), func(ctx context.Context, i int) (err error) {
		list[i], err = hashesOfFile(ctx, found, &found.Files[i], done)
		done.Count(0)
		return err
	})
	if err != nil {
		return nil, err
	}
	sums := make(map[string]*metadata.Sums)
	for i, one := range list {
		if one != nil {
			sums[found.Files[i].Path] = one
		}
	}
	return sums, nil
}

// hashesOfFile reads one file.
func hashesOfFile(ctx context.Context, found *survey.Survey, f *listing.File,
	done *cli.Progress) (*metadata.Sums, error) {
	if f.Header == nil || f.Format != "" { // other formats have no such digests
		return nil, nil
	}
	object, err := found.Open(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return metadata.Hashes(f.Header, done.Reader(ctx, object.ReaderAt(ctx)), object.Size())
}

// setMetadata changes the metadata of one target.
func setMetadata(sess *cli.Session, cmd *cobra.Command, args []string, f *metadataFlags) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("metadata changes one target at a time, not %d", len(args))
	case f.File != "" || f.Force:
		return cli.Usagef("metadata changes files in place; use weigh edit -o to write a copy")
	}
	e := &edit.Edit{Canonical: f.canonical, Lenient: f.lenient}
	if err := f.keyFlags.read(e); err != nil {
		return err
	}
	err := runEdit(cmd.Context(), sess, target.Name(args[0]), e,
		&editFlags{inPlace: true, dryRun: f.dryRun, json: f.Form() == "json"})
	return cli.ReadOnly(err, "weigh edit -o")
}
