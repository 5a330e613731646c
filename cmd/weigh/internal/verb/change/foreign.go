// Inputs of other formats.

package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/torch"
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

// convertError returns the error of a conversion in the words of the program, with flags instead of the
// fields of package convert. It prints the findings about an input and returns the error for exit code 1.
func convertError(sess *cli.Session, verb string, err error) error {
	var dangerous *convert.DangerousError
	var without *convert.UnsupportedError
	var format *torch.FormatError
	var source *convert.SourceError
	switch {
	case errors.Is(err, shards.ErrIsInput), errors.Is(err, fs.ErrExist):
		return writeFault(err, "")
	case errors.Is(err, convert.ErrRefused), errors.Is(err, torch.ErrNoRoot):
		return cli.Usage(err)
	case errors.As(err, &dangerous):
		sess.PrintError(fmt.Errorf("%w; see weigh scan; weigh %s --convert-anyway extracts the tensors without running code",
			err, verb))
		return cli.ErrFound
	case errors.As(err, &without):
		sess.PrintError(fmt.Errorf("%w: %sweigh %s --drop-unsupported skips such tensors", err,
			formAdvice(err, without.Form), verb))
		return cli.ErrFound
	case errors.Is(err, torch.ErrNotCheckpoint):
		text := err.Error()
		if errors.As(err, &source) {
			text = filetype.For(text, source.Path)
		}
		sess.PrintError(errors.New(text))
		return cli.ErrFound
	case errors.As(err, &format) && errors.As(err, &source):
		return sourceFault(sess, source, format.Violation())
	case errors.As(err, &format), errors.As(err, &source) && !isReading(source.Err):
		sess.PrintError(err)
		return cli.ErrFound
	}
	return err
}

// sourceFault prints why a source cannot be converted, and returns the error for the exit code.
func sourceFault(sess *cli.Session, source *convert.SourceError, v *safetensors.Violation) error {
	switch v.Rule {
	case safetensors.RuleLimit:
		sess.PrintError(target.FileFault(source.Path, v))
		return cli.ErrUnread
	case checkpoint.RuleFormatUnsupported:
		sess.PrintError(target.FileFault(source.Path, v))
	default:
		sess.PrintError(source)
	}
	return cli.ErrFound
}

// formAdvice says which command writes tensors of the form, and how to go on; "" if none does.
func formAdvice(err error, form torch.Form) string {
	var source *convert.SourceError
	advice := form.Advice()
	if advice == "" || !errors.As(err, &source) {
		return ""
	}
	return filetype.For(advice, source.Path) + ", and "
}

// isReading says whether an error is of reading, and not of what was read.
func isReading(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled)
}
