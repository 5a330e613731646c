// The verb metadata: the strings that files carry, shown or changed.

package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/render"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/edit"
)

// metadataFlags are the flags of metadata.
type metadataFlags struct {
	keyFlags
	output
	json, lenient     bool
	canonical, dryRun bool
}

// metadataCmd returns the verb.
func (a *app) metadataCmd() *cobra.Command {
	var f metadataFlags
	cmd := &cobra.Command{
		Use:   "metadata TARGET...",
		Short: "show or change the metadata of files",
		Long: `Metadata shows "__metadata__", the strings that a file carries by their keys. Values
that are JSON objects or arrays are indented. Files of one target that have the same
are shown once.

With --set and --unset it changes them, in place and in all files of one target, as
edit --in-place does: in milliseconds if the header has room, and otherwise by
writing the file anew, with room for the next time. See weigh edit --help.`,
		Example: `  weigh metadata testdata/python/metadata-json.safetensors
  weigh metadata --json testdata/sample | jq '.files[0].metadata.format'
  weigh metadata --set license=mit --unset format --dry-run testdata/sample`,
		GroupID:           groupLook,
		Args:              targets(0, anyTarget),
		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.set)+len(f.unset) > 0 {
				return a.setMetadata(cmd, args, &f)
			}
			if f.canonical || f.dryRun {
				return usagef("--canonical and --dry-run are about --set and --unset")
			}
			return a.metadata(cmd, args, &f)
		},
	}
	f.keyFlags.register(cmd)
	f.output.register(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.metadata/1; of a change weigh.edit/1")
	fl.BoolVar(&f.lenient, "lenient", false, lenientUsage)
	fl.BoolVar(&f.canonical, "canonical", false, "of a change: write as the reference implementation does, without room in the header")
	fl.BoolVar(&f.dryRun, "dry-run", false, "of a change: say what would be done, and write nothing")
	return cmd
}

// metadata shows the metadata of all targets.
func (a *app) metadata(cmd *cobra.Command, args []string, f *metadataFlags) error {
	if err := f.output.check(); err != nil {
		return err
	}
	found, err := a.survey(cmd.Context(), args, &surveyOptions{lenient: f.lenient})
	if err != nil {
		return err
	}
	m := render.Metadata{Inventory: found.Inventory}
	err = a.write(&f.output, func(w io.Writer, s typeset.Style) error {
		if f.json {
			return m.JSON(w, s)
		}
		return m.Text(w, s)
	})
	if err != nil {
		return err
	}
	return found.verdict(f.lenient)
}

// setMetadata changes the metadata of one target.
func (a *app) setMetadata(cmd *cobra.Command, args []string, f *metadataFlags) error {
	switch {
	case len(args) > 1:
		return usagef("metadata changes one target at a time, and not %d", len(args))
	case f.file != "" || f.force:
		return usagef("metadata changes files in place: weigh edit -o writes elsewhere")
	}
	e := &edit.Edit{Canonical: f.canonical, DryRun: f.dryRun, Lenient: f.lenient}
	if err := f.keyFlags.read(e); err != nil {
		return err
	}
	return a.edit(cmd.Context(), args[0], e, &editFlags{inPlace: true, json: f.json})
}
