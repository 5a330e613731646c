// The command cat.

package look

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
)

// catFlags are the flags of cat.
type catFlags struct {
	cli.Output
	format            string
	raw, all, lenient bool
	packed            bool
}

// catFormats are the values of --format.
var catFormats = []string{"text", "json", "csv", "npy", "npz", "raw"}

// Cat returns the command.
func Cat(sess *cli.Session) *cobra.Command {
	var f catFlags
	cmd := &cobra.Command{
		Use:   "cat TARGET TENSOR[SLICE]...",
		Short: "Print the values of tensors or slices",
		Long: `Print the values of tensors. A slice in brackets after the name selects a part, as
in NumPy: 'w[0:4, :]' is the first four rows of w, 'w[-1]' the last. Cat reads only
the selected values. A tensor whose own name has brackets is found by that name. A
GLOB selects every tensor whose name it matches, and may have a slice, too:
'**.norm.weight[:4]'. "weigh help info" describes patterns.

On a terminal, text of a tensor with more than 1,000 elements is a preview of the ends
of each axis. --all prints all values, and so does output to a file or a pipe.

Text, JSON and CSV are exact: integers have all digits, and floats the fewest digits
that parse to the same float32, or float64 for F64. In JSON, NaN, Infinity and
-Infinity are strings, and complex numbers are [re, im]; in text and CSV, complex
numbers are written 1+2j. A tensor without elements is [] for any shape. A packed
weight is printed as the values that "weigh edit --unpack" writes; --packed, --raw and
--format raw print the stored tensor.

  text  nested in brackets, one row on each line
  json  weigh.cat/1: name, dtype, shape, and values nested by shape; several
        tensors are the list "tensors" in weigh.tensors/1, each with its slice
  csv   one record for each row along the last axis, without a header line
  npy   a NumPy file; BF16, F8, F6 and F4 become float32, or bits with --raw
  npz   an archive of any number of NumPy files, as numpy.savez writes
  raw   the bytes of the file: little-endian, F4 and F6 packed

The extension of -o FILE selects the format: .json, .csv, .npy, .npz or .raw. csv, npy
and raw take one tensor.`,
		Example: `  weigh cat testdata/python/two-floats.safetensors x
  weigh cat testdata/sample 'model.embed_tokens.weight[42,:8]'
  weigh cat --format csv testdata/sample 'lm_head.weight[:4,:4]'
  weigh cat testdata/sample '**norm.weight' -o norms.npz
  weigh cat --format npy testdata/sample lm_head.weight | python3 -c '...'`,
		Args: catArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, sess.Style()); err != nil {
				return err
			}
			return runCat(cmd.Context(), sess, target.Name(args[0]), args[1:], &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.cat/1 or weigh.tensors/1; same as --format json")
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "output `FORMAT`: "+strings.Join(catFormats, ", "))
	fl.BoolVar(&f.raw, "raw", false, "with --format npy or npz, write the bits of each element as an unsigned integer")
	fl.BoolVar(&f.all, "all", false, "print all values of large tensors on a terminal")
	fl.BoolVar(&f.packed, "packed", false, target.PackedUsage)
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "format", catFormats)
	return cmd
}

// catArgs validates the arguments.
func catArgs(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return cli.Usagef("cat needs a target and a tensor name; weigh info lists the names")
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
	if err := f.extension(cmd.Flags().Changed("format") || f.Form() != ""); err != nil {
		return err
	}
	switch {
	case f.raw && f.format != "npy" && f.format != "npz":
		return cli.Usagef("--raw needs --format npy or npz; use --format raw for the bytes of the file")
	case f.File == "" || f.File == "-":
		return f.seen(s)
	}
	return f.Output.Check()
}

// extension selects the format by the extension of the output file, unless one is chosen, which must not contradict it.
func (f *catFlags) extension(chosen bool) error {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.File), "."))
	switch weights := filetype.WeightsFormat(f.File); {
	case slices.Contains(catFormats, ext) && !chosen:
		f.format = ext
	case slices.Contains(catFormats, ext) && f.format != ext:
		return cli.Usagef("--format %s contradicts the extension of %q: choose one", f.format, f.File)
	case weights == "" || ext == f.format || ext == "bin" && f.format == "raw":
	case weights == "safetensors":
		return cli.Usagef("cat writes no safetensors files: use weigh merge --include TENSOR TARGET -o %q", f.File)
	default:
		return cli.Usagef("cat writes no %s files such as %q: use an extension of --format, such as .npz", weights, f.File)
	}
	return nil
}

// seen returns an error if binary output would go to a terminal, such as -o /dev/tty.
func (f *catFlags) seen(s typeset.Style) error {
	if s.Terminal() && slices.Contains([]string{"npy", "npz", "raw"}, f.format) {
		return cli.Usagef("--format %s is binary: write it to a file with -o, or into a pipe", f.format)
	}
	return nil
}

// runCat prints the values of tensors.
func runCat(ctx context.Context, sess *cli.Session, arg target.Name, tensors []string, f *catFlags) error {
	from, err := target.OpenWeights(ctx, sess, arg, f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	if !f.packed && !f.raw && f.format != "raw" {
		from.Unpack(sess)
	}
	parts, several, err := from.Slices(ctx, tensors, f.format != "raw")
	if err != nil {
		return withSpaces(tensors, err)
	}
	done := new(cli.Progress)
	list := make(values.Cats, len(parts))
	for i, p := range parts {
		done.Bytes.Add(p.Size())
		t := *p.Tensor
		if f.File != "" {
			t.ReaderAt = done.Reader(ctx, t.ReaderAt)
		}
		list[i] = &values.Cat{Tensor: &t, Dtype: p.Dtype, Slice: p.Slice, Bits: f.raw, All: f.all || f.File != ""}
	}
	say, err := f.form(list, several)
	if err != nil {
		return err
	}
	if f.File != "" {
		defer sess.ShowProgress(done)()
	}
	return sess.Write(&f.Output, func(w io.Writer, s typeset.Style) error {
		if err := f.seen(s); err != nil {
			return err
		}
		return say(w, s)
	})
}

// form returns what writes tensors in the format. Several is whether the arguments are names of several tensors, or a
// pattern, even if it matches one.
func (f *catFlags) form(list values.Cats, several bool) (func(io.Writer, typeset.Style) error, error) {
	c := list[0]
	switch {
	case f.format == "npz":
		return list.NPZ, nil
	case f.format == "text" && several:
		return list.Text, nil
	case f.format == "json" && several:
		return list.JSON, nil
	case len(list) > 1 && f.format == "npy":
		return nil, cli.Usagef("an .npy file has one tensor, not %d; use --format npz", len(list))
	case len(list) > 1:
		return nil, cli.Usagef("--format %s takes one tensor, not %d; use text, json or npz", f.format, len(list))
	}
	return map[string]func(io.Writer, typeset.Style) error{
		"text": c.Text, "json": c.JSON, "csv": c.CSV, "npy": c.NPY, "raw": c.Raw,
	}[f.format], nil
}

// withSpaces adds advice to the error about names that a shell may have split.
func withSpaces(names []string, err error) error {
	if len(names) > 1 && strings.Count(names[0], "[") > strings.Count(names[0], "]") {
		return cli.Usagef("%w; quote a slice that contains spaces, as in 'w[0:4, :]'", err)
	}
	return err
}
