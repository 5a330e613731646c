// The verb cat: the values of a tensor.

package main

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
	format             string
	json, raw, lenient bool
}

// catFormats are the forms in which values can be had.
var catFormats = []string{"text", "json", "csv", "npy", "raw"}

// catCmd returns the verb.
func catCmd(sess *cli.Session) *cobra.Command {
	var f catFlags
	cmd := &cobra.Command{
		Use:   "cat TARGET TENSOR[SLICE]",
		Short: "write the values of a tensor, or of a part of it",
		Long: `Cat writes values. A slice in brackets after the tensor's name says which, as in
NumPy: 'w[0:4, :]' are the first four rows of w, 'w[-1]' is the last. Only what is
selected is read. A name that has brackets itself is taken as it is.

Text, JSON and CSV are exact: integers have all their digits, and floats the
fewest that give them back when they are read as a float32, or as a float64 if
they are F64. NaN, Infinity and -Infinity are strings in JSON. Complex numbers are
[re, im] in JSON, and elsewhere 1+2j. The values of a tensor without elements are
[], whatever its shape.

  text  nested in brackets, a line for each row
  json  weigh.cat/1: name, dtype, shape, and values nested by shape
  csv   a record for each row along the last axis, without titles
  npy   a file of NumPy; BF16, F8, F6 and F4 become float32, or bits with --raw
  raw   the bytes as they are in the file: little-endian, F4 and F6 packed`,
		Example: `  weigh cat testdata/python/two-floats.safetensors x
  weigh cat testdata/sample 'model.embed_tokens.weight[42,:8]'
  weigh cat --format csv testdata/sample 'lm_head.weight[:4,:4]'
  weigh cat --format npy testdata/sample lm_head.weight | python3 -c '...'`,
		GroupID:           cli.GroupLook,
		Args:              catArgs,
		ValidArgsFunction: cli.CompleteFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, sess.Style()); err != nil {
				return err
			}
			return runCat(cmd.Context(), sess, args[0], args[1], &f)
		},
	}
	f.Output.Register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "write values as `FORMAT`: "+strings.Join(catFormats, ", "))
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.cat/1, as --format json does")
	fl.BoolVar(&f.raw, "raw", false, "with --format npy, write the bits of each element as an unsigned integer")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "format", catFormats)
	return cmd
}

// catArgs says what is wrong with the arguments of cat.
func catArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 2:
		return cli.Usagef("cat needs a target and the name of a tensor: weigh info lists their names")
	case len(args) > 2:
		return cli.Usagef("cat takes one tensor, and not %d: a slice with spaces needs quotes, as in 'w[0:4, :]'", len(args)-1)
	}
	return nil
}

// check says what is wrong with the flags. Bytes are not for terminals, which
// would act on them.
func (f *catFlags) check(cmd *cobra.Command, s typeset.Style) error {
	if f.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return cli.Usagef("--json and --format %s are forms of one output: choose one of them", f.format)
		}
		f.format = "json"
	}
	if !slices.Contains(catFormats, f.format) {
		if meant := cli.DidYouMean(f.format, catFormats); meant != "" {
			return cli.Usagef("--format cannot be %q: %s", f.format, meant)
		}
		return cli.Usagef("--format cannot be %q, but one of %s", f.format, strings.Join(catFormats, ", "))
	}
	switch {
	case f.raw && f.format != "npy":
		return cli.Usagef("--raw is about --format npy; --format raw writes the bytes of the file")
	case f.File == "" || f.File == "-":
		return f.seen(s)
	}
	return f.Output.Check()
}

// seen returns an error if bytes would go to a terminal, -o /dev/tty being one.
func (f *catFlags) seen(s typeset.Style) error {
	if s.Terminal() && (f.format == "npy" || f.format == "raw") {
		return cli.Usagef("--format %s is not for terminals: write it to a file with -o, or into a pipe", f.format)
	}
	return nil
}

// runCat writes the values of one tensor.
func runCat(ctx context.Context, sess *cli.Session, arg, tensor string, f *catFlags) error {
	from, err := target.OpenWeights(ctx, sess, "cat", arg, f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	t, err := from.Slice(ctx, tensor)
	if err != nil {
		return err
	}
	c := values.Cat{Tensor: t}
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		if err := f.seen(s); err != nil {
			return err
		}
		switch f.format {
		case "json":
			return c.JSON(w, s)
		case "csv":
			return c.CSV(w)
		case "npy":
			return c.NPY(w, f.raw)
		case "raw":
			return c.Raw(w)
		}
		return c.Text(w, s)
	})
}
