// The command cat.

package look

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// catFlags are the flags of cat.
type catFlags struct {
	cli.Output
	format       string
	raw, lenient bool
}

// catFormats are the values of --format.
var catFormats = []string{"text", "json", "csv", "npy", "raw"}

// Cat returns the command.
func Cat(sess *cli.Session) *cobra.Command {
	var f catFlags
	cmd := &cobra.Command{
		Use:   "cat TARGET TENSOR[SLICE]",
		Short: "Print the values of a tensor or slice",
		Long: `Print the values of a tensor. A slice in brackets after the name selects a part, as
in NumPy: 'w[0:4, :]' is the first four rows of w, 'w[-1]' the last. Cat reads only
the selected values. A tensor whose own name has brackets is found by that name.

Text, JSON and CSV are exact: integers have all digits, and floats the fewest digits
that parse to the same float32, or float64 for F64. In JSON, NaN, Infinity and
-Infinity are strings, and complex numbers are [re, im]; in text and CSV, complex
numbers are written 1+2j. A tensor without elements is [] for any shape.

  text  nested in brackets, one row on each line
  json  weigh.cat/1: name, dtype, shape, and values nested by shape
  csv   one record for each row along the last axis, without a header line
  npy   a NumPy file; BF16, F8, F6 and F4 become float32, or bits with --raw
  raw   the bytes of the file: little-endian, F4 and F6 packed`,
		Example: `  weigh cat testdata/python/two-floats.safetensors x
  weigh cat testdata/sample 'model.embed_tokens.weight[42,:8]'
  weigh cat --format csv testdata/sample 'lm_head.weight[:4,:4]'
  weigh cat --format npy testdata/sample lm_head.weight | python3 -c '...'`,
		Args: catArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, sess.Style()); err != nil {
				return err
			}
			return runCat(cmd.Context(), sess, target.Name(args[0]), args[1], &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.cat/1; same as --format json")
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output `FORMAT`: "+strings.Join(catFormats, ", "))
	fl.BoolVar(&f.raw, "raw", false, "with --format npy, write the bits of each element as an unsigned integer")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "format", catFormats)
	return cmd
}

// catArgs validates the arguments.
func catArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 2:
		return cli.Usagef("cat needs a target and a tensor name; weigh info lists the names")
	case len(args) > 2:
		return cli.Usagef("cat takes one tensor, not %d; quote a slice that contains spaces, as in 'w[0:4, :]'", len(args)-1)
	}
	return nil
}

// check validates the flags.
func (f *catFlags) check(cmd *cobra.Command, s typeset.Style) error {
	if f.Form() == "json" {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return cli.Usagef("--json and --format %s select different output formats: choose one", f.format)
		}
		f.format = "json"
	}
	if !slices.Contains(catFormats, f.format) {
		return cli.UnknownValue("--format", f.format, catFormats)
	}
	switch {
	case f.raw && f.format != "npy":
		return cli.Usagef("--raw needs --format npy; use --format raw for the bytes of the file")
	case f.File == "" || f.File == "-":
		return f.seen(s)
	}
	return f.Output.Check()
}

// seen returns an error if binary output would go to a terminal, such as -o /dev/tty.
func (f *catFlags) seen(s typeset.Style) error {
	if s.Terminal() && (f.format == "npy" || f.format == "raw") {
		return cli.Usagef("--format %s is binary: write it to a file with -o, or into a pipe", f.format)
	}
	return nil
}

// runCat prints the values of one tensor.
func runCat(ctx context.Context, sess *cli.Session, arg target.Name, tensor string, f *catFlags) error {
	from, err := target.OpenWeights(ctx, sess, arg, f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	t, dtype, err := from.Slice(ctx, tensor, !f.raw && f.format != "raw")
	if err != nil {
		return err
	}
	c := &values.Cat{Tensor: t, Dtype: dtype, Bits: f.raw}
	say := map[string]func(io.Writer, typeset.Style) error{
		"text": c.Text, "json": c.JSON, "csv": c.CSV, "npy": c.NPY, "raw": c.Raw,
	}[f.format]
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		if err := f.seen(s); err != nil {
			return err
		}
		return say(w, s)
	})
}
