// The command layout.

package look

import (
	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// Layout returns the command. It takes one file, since offsets refer to a file.
func Layout(sess *cli.Session) *cobra.Command {
	var out cli.Output
	var hex, lenient bool
	cmd := &cobra.Command{
		Use:   "layout FILE",
		Short: "Map every byte of a file",
		Long: `List the regions of a safetensors or GGUF file in order, with their offsets in the
file: header length, header, padding, tensors, and errors such as gaps, overlaps,
trailing bytes and missing bytes. END is the offset after the last byte.

Invalid files are mapped as far as they can be read, with exit code 1.`,
		Example: `  weigh layout testdata/python/two-floats.safetensors
  weigh layout --hex testdata/python/shapes.safetensors`,
		Args: cli.TargetArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return cli.ErrStdin
			}
			if err := out.Check(); err != nil {
				return err
			}
			f, err := target.OpenFile(cmd.Context(), sess, "layout", target.Name(args[0]))
			if err != nil {
				return err
			}
			defer f.Close()
			findings, omitted := findingsOf(f)
			l := listing.NewLayout(f.File, f.HeaderText, f.Length, findings)
			if f.Format != "" {
				l = listing.NewGGUFLayout(f.File, f.GGUF, findings)
			}
			l.Omitted = omitted
			// Read all bytes first: a read error must not leave half a map.
			if hex {
				if err := l.Dump(f.Data); err != nil {
					return err
				}
			}
			if err := sess.Report(&out, l); err != nil {
				return err
			}
			return f.Refused(lenient)
		},
	}
	out.Register(cmd, "json", "write JSON, weigh.layout/1")
	cmd.Flags().BoolVar(&hex, "hex", false, "show the first bytes of each region")
	cmd.Flags().BoolVar(&lenient, "lenient", false, cli.LenientUsage)
	return cmd
}
