// Where output goes: standard output, or a file that appears when it is whole.

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// An Output is the flags that say where output goes.
type Output struct {
	File  string
	Force bool
}

// Register adds the flags to a verb.
func (o *Output) Register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.File, "output", "o", "", "write to `FILE`, which appears when it is whole")
	cmd.Flags().BoolVar(&o.Force, "force", false, "overwrite FILE if it exists")
}

// Check says early whether the output can be written where it is to go.
func (o *Output) Check() error {
	if o.File == "" || o.File == "-" {
		return nil
	}
	info, err := os.Stat(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a folder, and -o takes the name of a file", o.File)
	case info.Mode().IsRegular() && !o.Force:
		return fmt.Errorf("%q exists already: choose another name, or overwrite it with --force", o.File)
	}
	return nil
}

// Write calls render with where output goes, and how it is to look there.
func (s *Session) Write(o *Output, say func(io.Writer, typeset.Style) error) error {
	if o.File == "" || o.File == "-" {
		return say(s.Stdout, s.Style())
	}
	if err := o.Check(); err != nil {
		return err
	}
	if err := s.ProtectInputs(o); err != nil {
		return err
	}
	style := typeset.Style{Color: s.color == "always"}
	// A device or a pipe cannot be replaced by a file of its name: it is written to.
	write := WriteWhole
	if info, err := os.Stat(o.File); err == nil && !info.Mode().IsRegular() {
		write = s.writeDevice
	}
	if err := write(o, style, say); err != nil {
		return &writeError{o.File, err}
	}
	return nil
}

// ProtectInputs returns an error if the output would replace what the program reads. A
// model has many names, by links and by folders, so it is files that are compared.
// --force is no excuse: it is meant for the last report.
func (s *Session) ProtectInputs(o *Output) error {
	out, err := os.Stat(o.File)
	if err != nil || !out.Mode().IsRegular() {
		return nil // there is nothing to lose
	}
	for _, name := range s.Inputs {
		in, err := s.stat(name)
		if err == nil && os.SameFile(in, out) {
			return Usagef("%q cannot be written: it is %q, which is read", o.File, name)
		}
	}
	return nil
}

// A writeError is that of writing what -o names.
type writeError struct {
	file string
	error
}

// Unwrap returns the error of the system.
func (e *writeError) Unwrap() error { return e.error }

// writeDevice writes to what is there and is no file: /dev/null, a named pipe. It
// may be a terminal by another name, which gets what standard output would.
func (s *Session) writeDevice(o *Output, style typeset.Style, say func(io.Writer, typeset.Style) error) error {
	f, err := os.OpenFile(o.File, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if t := terminalOf(f, s.env); t.width > 0 {
		style = s.styleOn(t)
	}
	return errors.Join(say(f, style), f.Close())
}

// WriteWhole writes a file that takes its name when it is whole. If that fails, what
// the name held before stays; and so it does if it came up meanwhile, without force.
func WriteWhole(o *Output, style typeset.Style, say func(io.Writer, typeset.Style) error) error {
	create := atomicfile.CreateNew
	if o.Force {
		create = atomicfile.Create
	}
	f, err := create(o.File)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err := errors.Join(say(b, style), b.Flush()); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

// ProtectStdout returns why a file cannot go to standard output, or nil: a terminal would
// act on its bytes, and a shell may have opened what is read to append to it.
func (s *Session) ProtectStdout() error {
	if s.Style().Terminal() {
		return Usagef("a file is not for terminals: name one with -o, or write into a pipe")
	}
	if out, ok := s.Stdout.(*stoppable); ok {
		if f, ok := out.w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && FileSetOf(s.Inputs...).hasInfo(info) {
				return Usagef("standard output is one of the files that are read")
			}
		}
	}
	return nil
}
