// The command pickle.

package judge

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/scanreport"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// Pickle returns the command.
func Pickle(sess *cli.Session) *cobra.Command {
	var f scanFlags
	var member string
	cmd := &cobra.Command{
		Use:   "pickle FILE",
		Short: "Disassemble pickles and show their imports",
		Long: `List the instructions of a pickle, or of every pickle in an archive, like Python's
pickletools, without executing them. Imports and calls are annotated with their
verdict; "!" in the margin marks dangerous ones, "?" suspicious ones. A summary says
what loading would do.

The exit code is 1 if loading the file is dangerous, and 3 if it could not be analyzed
completely.`,
		Example: `  weigh pickle testdata/scan/old.bin
  weigh pickle --json testdata/scan/old.bin | jq '.summary.imports'
  weigh pickle --member model/data.pkl testdata/scan/model.pt`,
		Args: cli.TargetArgs(1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPickle(cmd.Context(), sess, target.Name(args[0]), member, &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.pickle/1")
	f.RegisterBudget(cmd, true)
	cmd.Flags().StringVar(&member, "member", "", "show only the pickles of the archive member `PATH`")
	f.RegisterPolicy(cmd)
	return cmd
}

// runPickle lists the pickles of a file.
func runPickle(ctx context.Context, sess *cli.Session, arg target.Name, member string, f *scanFlags) error {
	sess.AddInputs(f.Policy)
	scanner, err := f.Scanner(sess)
	if err != nil {
		return err
	}
	if err := f.Output.Check(); err != nil {
		return err
	}
	r, size, done, err := openBytes(ctx, sess, arg)
	if err != nil {
		return err
	}
	defer done()
	p := &scanreport.Pickles{Path: arg.String(), Member: member, MaxLines: f.Budget * usualLines, More: f.More()}
	read := new(cli.Progress)
	read.Bytes.Store(max(size, 0))
	defer sess.ShowProgress(read)()
	p.Scan = func(show func(scan.Pickle)) (*scan.Report, error) {
		scanner.Visit = show
		return scanner.Scan(newScanReader(ctx, r, size, read), size, arg.String())
	}
	err = sess.Report(&f.Output, p)
	var none *scanreport.NoMemberError
	switch {
	case errors.As(err, &none):
		return cli.Usagef("%q has no pickle %q: %w", arg, member, none)
	case err != nil:
		return err
	case p.Shown == 0:
		sess.Notice("%s has no pickle: it is %s", arg, formatName(p.Report.Format))
	}
	if p.Report.Verdict == pickle.Dangerous {
		return cli.ErrFound
	}
	if !p.Report.Complete {
		return cli.ErrUnread
	}
	return nil
}

// usualLines limits the number of instructions.
const usualLines = 200_000

// openBytes opens a target that is one file of any format. The returned function closes it.
func openBytes(ctx context.Context, sess *cli.Session, arg target.Name) (r io.ReaderAt, size int64, done func(),
	err error) {
	sess.AddInputs(string(arg))
	if arg == "-" {
		f, size, err := sess.SpoolStdin()
		if err != nil {
			return nil, 0, nil, err
		}
		return f, size, func() { f.Close(); os.Remove(f.Name()) }, nil
	}
	at, err := target.Open(ctx, sess, arg, checkpoint.Options{})
	if err != nil {
		return nil, 0, nil, err
	}
	at.WarnUnfinished(sess)
	if at.Within == "" {
		return nil, 0, nil, cli.Usagef("pickle needs a file, and %q is a folder: name a file in it", arg)
	}
	object, err := at.Store.Open(ctx, at.Within)
	if err != nil {
		return nil, 0, nil, err
	}
	return object.ReaderAt(ctx), object.Size(), func() { object.Close() }, nil
}

// formatName returns the name of a format of a scan report.
func formatName(format string) string {
	if name := filetype.Kind(format).Name(); name != filetype.Unknown.Name() {
		return name
	}
	return format
}
