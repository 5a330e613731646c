// Where output goes: standard output, or a file that appears when it is whole.

package main

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

// An output is the flags that say where output goes.
type output struct {
	file  string
	force bool
}

// register adds the flags to a verb.
func (o *output) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write to `FILE`, which appears when it is whole")
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite FILE if it exists")
}

// check says early whether the output can be written where it is to go.
func (o *output) check() error {
	if o.file == "" || o.file == "-" {
		return nil
	}
	info, err := os.Stat(o.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a folder, and -o takes the name of a file", o.file)
	case info.Mode().IsRegular() && !o.force:
		return fmt.Errorf("%q exists already: choose another name, or overwrite it with --force", o.file)
	}
	return nil
}

// write calls render with where output goes, and how it is to look there.
func (a *session) write(o *output, say func(io.Writer, typeset.Style) error) error {
	if o.file == "" || o.file == "-" {
		return say(a.stdout, a.style())
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := a.spare(o); err != nil {
		return err
	}
	style := typeset.Style{Color: a.color == "always"}
	// A device or a pipe cannot be replaced by a file of its name: it is written to.
	write := writeWhole
	if info, err := os.Stat(o.file); err == nil && !info.Mode().IsRegular() {
		write = a.writeDevice
	}
	if err := write(o, style, say); err != nil {
		return &writeError{o.file, err}
	}
	return nil
}

// spare returns an error if the output would replace what the program reads. A
// model has many names, by links and by folders, so it is files that are compared.
// --force is no excuse: it is meant for the last report.
func (a *session) spare(o *output) error {
	out, err := os.Stat(o.file)
	if err != nil || !out.Mode().IsRegular() {
		return nil // there is nothing to lose
	}
	for _, name := range a.inputs {
		in, err := a.stat(name)
		if err == nil && os.SameFile(in, out) {
			return usagef("%q cannot be written: it is %q, which is read", o.file, name)
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
func (a *session) writeDevice(o *output, style typeset.Style, say func(io.Writer, typeset.Style) error) error {
	f, err := os.OpenFile(o.file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if t := terminalOf(f, a.env); t.width > 0 {
		style = a.styleOn(t)
	}
	return errors.Join(say(f, style), f.Close())
}

// writeWhole writes a file that takes its name when it is whole. If that fails, what
// the name held before stays; and so it does if it came up meanwhile, without force.
func writeWhole(o *output, style typeset.Style, say func(io.Writer, typeset.Style) error) error {
	create := atomicfile.CreateNew
	if o.force {
		create = atomicfile.Create
	}
	f, err := create(o.file)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err := errors.Join(say(b, style), b.Flush()); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

// mayStream returns why a file cannot go to standard output, or nil: a terminal would
// act on its bytes, and a shell may have opened what is read to append to it.
func (a *session) mayStream() error {
	if a.style().Terminal() {
		return usagef("a file is not for terminals: name one with -o, or write into a pipe")
	}
	if out, ok := a.stdout.(*stoppable); ok {
		if f, ok := out.w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && fileSetOf(a.inputs...).hasInfo(info) {
				return usagef("standard output is one of the files that are read")
			}
		}
	}
	return nil
}
