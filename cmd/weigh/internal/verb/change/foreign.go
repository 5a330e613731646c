// Inputs of other formats.

package change

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/pickle/convert"
)

// foreignFlags are the flags of commands that also read PyTorch and NumPy files.
type foreignFlags struct{ unsupported, anyway bool }

// register adds the flags to a verb.
func (f *foreignFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.unsupported, "drop-unsupported", false, "skip tensors that safetensors cannot represent")
	fl.BoolVar(&f.anyway, "convert-anyway", false, "read tensors from files that are dangerous to load")
}

// examine refuses the files of a checkpoint that convert refuses, with the same error, and returns what is skipped in
// the others. Commands call it before they copy tensors.
func (f *foreignFlags) examine(ctx context.Context, sess *cli.Session, verb string, cp *checkpoint.Checkpoint,
	name func(string) string) (receipt.Skipped, error) {
	c := &convert.Conversion{DropUnsupported: f.unsupported, Anyway: f.anyway}
	sources, err := c.Examine(ctx, cp, name)
	if err != nil {
		return nil, convertError(sess, verb, err)
	}
	return sources, nil
}
