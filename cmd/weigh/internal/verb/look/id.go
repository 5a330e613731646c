// The command id.

package look

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model/identity"
)

// idFlags are the flags of id.
type idFlags struct {
	cli.Output
	all, lenient bool
	signatures   string
}

const idHelp = `Identify models: their kind (checkpoint, diffusion model, VAE, text encoder, ControlNet,
adapter, upscaler, language model and more), family and version, with the names and
shapes that match. For an adapter, id also shows rank, alpha, target modules and base
model. Id reads only headers and configuration files.

Id does not guess. "ambiguous" lists all versions or families that match, and says why;
"unknown" shows how the names begin. In a folder, id identifies each set of weights, and
each component of a diffusers pipeline.

Id compares models with signatures, which docs/signatures.md lists. --signatures FILE or
the environment variable WEIGH_SIGNATURES adds your own; they take precedence over
built-in ones.

The exit code is 0 for any answer, 1 if a file is invalid, and 3 if one cannot be read.`

// ID returns the command.
func ID(sess *cli.Session) *cobra.Command {
	var f idFlags
	cmd := &cobra.Command{
		Use:   "id TARGET...",
		Short: "Identify models: kind, family and version",
		Long:  idHelp,
		Example: `  weigh id testdata/sample
  weigh id --json testdata/sample | jq -r '.models[] | .kind, .family'`,
		Args: cli.TargetArgs(0, cli.AnyTarget),
		RunE: func(cmd *cobra.Command, args []string) error { return runID(sess, cmd, args, &f) },
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.id/1")
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "show all evidence on a terminal")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	fl.StringVar(&f.signatures, "signatures", "", "also use the signatures in `FILE`")
	return cmd
}

// runID identifies the targets.
func runID(sess *cli.Session, cmd *cobra.Command, args []string, f *idFlags) error {
	if err := f.Output.Check(); err != nil {
		return err
	}
	by, err := readSignatures(cmp.Or(f.signatures, sess.Signatures()))
	if err != nil {
		return err
	}
	found, err := survey.Run(cmd.Context(), sess, target.Names(args),
		&survey.Options{Lenient: f.lenient, Models: true, Each: true})
	if err != nil {
		return err
	}
	defer found.CloseModels()
	report := &listing.Identities{Inventory: found.Inventory, Models: found.Identities(by), All: f.all}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if err := sess.Report(&f.Output, report); err != nil {
		return err
	}
	return found.Verdict(f.lenient)
}

// readSignatures returns the signatures in a file together with the built-in ones, or nil if there is no file.
func readSignatures(name string) (*identity.Signatures, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, identity.MaxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("cannot read signatures: %w", err)
	}
	by, err := identity.Parse(name, text)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return by, nil
}
