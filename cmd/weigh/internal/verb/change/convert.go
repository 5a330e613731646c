// The verb convert: checkpoints of PyTorch as safetensors files.

package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/version"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/policy"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/torch"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	policy                          policy.Flags
	target, root, shared, values    string
	prefixes                        []string
	all, unsupported, anyway, noCRC bool
	dense, quantized                bool
	force, dryRun, json             bool
}

// sharedChoices are what --shared can be.
var sharedChoices = []string{string(convert.Duplicate), string(convert.Drop), string(convert.Refuse)}

// Convert returns the verb.
func Convert(sess *cli.Session) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert SRC -o DST",
		Short: "write a checkpoint of PyTorch as safetensors, without running it",
		Long: `Convert writes the tensors of a checkpoint of PyTorch, or of an archive of NumPy
(.npz), as safetensors. SRC is a file, a folder of shards, or their index; what a file
is follows from its bytes. DST is a file whose name ends in ".safetensors", or a
folder. Shards stay shards, with a new index.

Nothing in SRC is unpickled: names of functions are names, and tensors are found by
what they would be made of. Each file is judged first, as by scan. One that is
dangerous to load is refused, with the exit code 1; --convert-anyway converts its
tensors, and runs nothing in it either. One that is suspicious is converted, and the
report says so.

Of a checkpoint of a training run, the weights are taken: what is under "state_dict",
"model" and the like, or everything if the top has tensors itself. --root names another
part, with dots, and --all takes all tensors there are. What is left out is listed.
Tensors for which safetensors has no form are an error, unless --drop-unsupported is
given. Sparse ones are written with their zeros if --dense is, and quantized ones as
their integers if --quantized is: of w as w, w.scale and w.zero_point, and, if these are
for each index of a dimension, that as w.axis.

What a checkpoint has besides tensors has no place in DST, but for what names them.
--keep-values writes its numbers, texts, lists and dicts to a file of JSON, and lists
there what else is left out: objects are never made.

  --shared duplicate  tensors that have bytes in common get each its own; the
                      default
  --shared drop       of tensors that are the same, as tied weights are, the
                      first is written, and the metadata names the others
  --shared error      they are an error

What is written has its name when it was read again, and had the checksums that the
archive has, or, where there are none of just its bytes, those of SRC. No file is
overwritten without --force. Other files of a folder, such as config.json, are not
copied: the receipt names them.`,
		Example: `  weigh convert --dry-run testdata/torch/checkpoint.pt -o model.safetensors
  weigh convert --shared drop testdata/torch/checkpoint.pt -o w.safetensors
  weigh convert testdata/torch/sharded -o new
  weigh convert --json testdata/torch/arrays.npz -o arrays.safetensors`,
		GroupID:           cli.GroupChange,
		Args:              cli.TargetArgs(1, "a source: a file, a folder, or an index"),
		ValidArgsFunction: completeCheckpoints,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.conversion()
			if err != nil {
				return err
			}
			return runConvert(cmd.Context(), sess, args[0], c, &f)
		},
	}
	f.register(cmd)
	return cmd
}

// completeCheckpoints has shells complete the names of files that can be converted.
func completeCheckpoints(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"bin", "pt", "pth", "ckpt", "npz", "pkl", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// register adds the flags to the verb.
func (f *convertFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.target, "output", "o", "", "write to `DST`, a file or a folder")
	fl.StringVar(&f.root, "root", "", "take the tensors of the value at `PATH`, names with dots between")
	fl.BoolVar(&f.all, "all", false, "take all tensors there are")
	fl.StringArrayVar(&f.prefixes, "strip-prefix", nil, "take `PREFIX` from names that begin with it, may be repeated")
	fl.StringVar(&f.shared, "shared", string(convert.Duplicate), "with tensors that have bytes in common, do as `CHOICE` says; see above")
	fl.BoolVar(&f.unsupported, "drop-unsupported", false, "leave tensors out for which safetensors has no form")
	fl.StringVar(&f.values, "keep-values", "", "write numbers, texts, lists and dicts to `FILE`, as JSON, weigh.values/1")
	fl.BoolVar(&f.dense, "dense", false, "write sparse tensors with their zeros")
	fl.BoolVar(&f.quantized, "quantized", false, "write quantized tensors as integers, scales and zero points")
	fl.BoolVar(&f.anyway, "convert-anyway", false, "convert files that are dangerous to load")
	f.policy.RegisterPolicy(cmd)
	fl.BoolVar(&f.noCRC, "no-crc", false, "compare no checksums of archives, but all bytes")
	fl.BoolVar(&f.force, "force", false, "replace what is there, but for SRC")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	fl.BoolVar(&f.json, "json", false, "write the receipt as JSON, weigh.convert/1, with digests")
	cli.CompleteWords(cmd, "shared", sharedChoices)
}

// conversion reads the flags.
func (f *convertFlags) conversion() (*convert.Conversion, error) {
	switch {
	case f.target == "":
		return nil, cli.Usagef("convert needs -o DST to write to")
	case f.all && f.root != "":
		return nil, cli.Usagef("--root takes a part, and --all everything: choose one of them")
	case !slices.Contains(sharedChoices, f.shared):
		return nil, cli.Usagef("--shared cannot be %q: %s", f.shared, cmp.Or(cli.DidYouMean(f.shared, sharedChoices), "it is one of "+strings.Join(sharedChoices, ", ")))
	case f.values == "-":
		return nil, cli.Usagef("--keep-values needs the name of a file")
	case slices.Contains(f.prefixes, ""):
		return nil, cli.Usagef("--strip-prefix needs a prefix, as in --strip-prefix module.")
	}
	scanner, err := f.policy.Scanner()
	if err != nil {
		return nil, err
	}
	return &convert.Conversion{
		Torch:   torch.Options{Root: f.root, All: f.all, NoChecksum: f.noCRC, Values: f.values != "", Dense: f.dense, Quantized: f.quantized},
		Scanner: *scanner, Anyway: f.anyway, StripPrefix: f.prefixes, Shared: convert.Shared(f.shared),
		DropUnsupported: f.unsupported, Overwrite: f.force, Digests: f.json,
	}, nil
}

// runConvert converts the source, and writes the receipt.
func runConvert(ctx context.Context, sess *cli.Session, source string, c *convert.Conversion, f *convertFlags) error {
	if source == "-" {
		return cli.Usagef("convert needs a file or a folder; standard input can be read only once")
	}
	values := &cli.Output{File: f.values, Force: f.force}
	if err := values.Check(); err != nil {
		return err
	}
	done := new(transfer)
	c.Progress, c.Resolve = done.at, sess.Resolve
	plan, err := c.Plan(ctx, source, f.target)
	if err != nil {
		return convertError(sess, err, f)
	}
	defer plan.Close()
	if err := spareForValues(sess, values, plan); err != nil {
		return err
	}
	r := receipt.Convert{Plan: plan, Source: target.Printable(source), Target: f.target, Values: f.values, Planned: f.dryRun, Version: version.Build().Version, NotCopied: leftBehind(source, plan.Dir)}
	if !f.dryRun {
		if err := carryOutConversion(ctx, sess, plan, done); err != nil {
			return convertError(sess, err, f)
		}
		if f.values != "" {
			if err := sess.Write(values, r.ValuesJSON); err != nil {
				return err
			}
		}
	}
	if sess.Quiet && !f.json && !f.dryRun {
		return nil
	}
	return sess.Write(new(cli.Output), func(w io.Writer, s typeset.Style) error {
		if f.json {
			return r.JSON(w, s)
		}
		return r.Text(w, s)
	})
}

// spareForValues returns why the file of values must not be written: it is a source, or
// one of the new files.
func spareForValues(sess *cli.Session, o *cli.Output, plan *convert.Plan) error {
	if o.File == "" {
		return nil
	}
	for _, s := range plan.Sources {
		sess.AddInputs(s.Path)
	}
	for i := range plan.Files.Shards {
		if name := filepath.Join(plan.Dir, plan.Files.Shards[i].Name); name == filepath.Clean(o.File) {
			return cli.Usagef("--keep-values and -o both say %q: choose another name", o.File)
		}
	}
	return sess.ProtectInputs(o)
}

// carryOutConversion writes the files, and shows how far it is.
func carryOutConversion(ctx context.Context, sess *cli.Session, plan *convert.Plan, done *transfer) error {
	sess.CheckSpace(plan.Dir, plan.Files.Size())
	defer sess.ShowProgress(done)()
	err := plan.Write(ctx)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: the new files take %s", err, typeset.Bytes(plan.Files.Size()))
	}
	return err
}

// convertError returns the error of a conversion in the words of the program: what package
// convert calls a field is a flag here. What is found wrong with a source is said, and
// ends the program as what other verbs find.
func convertError(sess *cli.Session, err error, f *convertFlags) error {
	var dangerous *convert.DangerousError
	var without *convert.UnsupportedError
	var format *torch.FormatError
	var source *convert.SourceError
	switch {
	case errors.Is(err, convert.ErrRefused), errors.Is(err, torch.ErrNoRoot):
		return cli.Usage(err)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: write elsewhere, or use --force", err)
	case errors.As(err, &dangerous):
		sess.PrintError(fmt.Errorf("%w; weigh scan says more, and --convert-anyway takes the tensors out and runs nothing", err))
		return cli.ErrFound
	case errors.As(err, &without):
		sess.PrintError(fmt.Errorf("%w: %s--drop-unsupported leaves such tensors out", err, formAdvice(without.Form, ", and ")))
		return cli.ErrFound
	case errors.Is(err, torch.ErrNotCheckpoint):
		text := err.Error()
		if errors.As(err, &source) {
			text = filetype.For(text, source.Path)
		}
		sess.PrintError(errors.New(text))
		return cli.ErrFound
	case errors.As(err, &format) && format.Form != "":
		sess.PrintError(fmt.Errorf("%w: %s", err, formAdvice(format.Form, "")))
		return cli.ErrFound
	case errors.As(err, &format), errors.As(err, &source) && !isReading(source.Err):
		sess.PrintError(err)
		return cli.ErrFound
	}
	return err
}

// formAdvice says which flag gives tensors a form, followed by sep; "" if none does.
func formAdvice(form torch.Form, sep string) string {
	switch form {
	case torch.FormSparse:
		return "--dense writes it with its zeros" + sep
	case torch.FormQuantized:
		return "--quantized writes its integers, scales and zero points" + sep
	}
	return ""
}

// isReading says whether an error is of reading, and not of what was read.
func isReading(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled)
}
