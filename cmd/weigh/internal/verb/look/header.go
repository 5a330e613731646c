// The command header.

package look

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/gguf"
)

// Header returns the command. It does not parse the header, which may be needed when the parser is
// in doubt.
func Header(sess *cli.Session) *cobra.Command {
	var out cli.Output
	var pretty, lenient bool
	cmd := &cobra.Command{
		Use:   "header FILE",
		Short: "Print the JSON header of a file",
		Long: `Print the JSON header of a safetensors file byte for byte, with its padding and
without a final newline, unless the output is a terminal. --pretty indents it, and
keeps the order of members, duplicate names and the spelling of numbers.

The header of a GGUF file is written as JSON: its version, byte order, alignment,
metadata with all arrays, and tensors.

The header of an invalid file is printed, too, with exit code 1.`,
		Example: `  weigh header testdata/python/two-floats.safetensors
  weigh header --pretty testdata/sample/model-00002-of-00002.safetensors
  weigh header testdata/python/names.safetensors | jq -r 'keys[]'`,
		Args: cli.TargetArgs(1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.Check(); err != nil {
				return err
			}
			f, err := target.OpenFile(cmd.Context(), sess, "header", target.Name(args[0]))
			if err != nil {
				return err
			}
			defer f.Close()
			// Without a "{", nothing is a header to print, and the bytes are not text.
			if f.GGUF != nil {
				err = writeGGUF(sess, &out, f.GGUF, pretty)
			} else if bytes.HasPrefix(bytes.TrimLeft(f.HeaderText, " \t\r\n"), []byte("{")) {
				err = sess.Write(&out, func(w io.Writer, s typeset.Style) error {
					if pretty {
						return encode.Pretty(w, s, f.HeaderText)
					}
					return encode.Raw(w, s, f.HeaderText)
				})
			}
			if err != nil {
				return err
			}
			// The output is for another parser; findings go to standard error.
			findings, _ := findingsOf(f)
			printFirst(sess, findings, lenient)
			return f.Refused(lenient)
		},
	}
	out.Register(cmd)
	cmd.Flags().BoolVar(&lenient, "lenient", false, cli.LenientUsage)
	cmd.Flags().BoolVar(&pretty, "pretty", false, "indent the JSON")
	return cmd
}

// writeGGUF writes the header of a GGUF file.
func writeGGUF(sess *cli.Session, out *cli.Output, f *gguf.File, pretty bool) error {
	return sess.Write(out, func(w io.Writer, s typeset.Style) error {
		if !pretty || s.Terminal() { // which is indented anyway
			return listing.WriteGGUF(w, s, f)
		}
		var text bytes.Buffer
		if err := listing.WriteGGUF(&text, typeset.Style{}, f); err != nil {
			return err
		}
		return encode.Pretty(w, s, text.Bytes())
	})
}

// findingsOf returns all findings of a file. None is allowed by configuration.
func findingsOf(f *target.File) ([]finding.Finding, []finding.Omission) {
	var nobody *survey.Keeper
	return nobody.Findings(f.Path, f.Report)
}
