// Output files.

package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/store"
)

// An Output holds the flags -o and --force, and those that select a form other than text.
type Output struct {
	File  string
	Force bool
	New   bool // without Force, the file must not exist; otherwise it may be an older report
	forms map[string]*bool
}

// Register adds the flags to a command. Forms are names and descriptions by turns.
func (o *Output) Register(cmd *cobra.Command, forms ...string) {
	OutputVar(cmd.Flags(), &o.File, "write to `FILE`, created only when complete")
	cmd.Flags().BoolVar(&o.Force, "force", false, "overwrite any file but the input; without it, only reports")
	o.forms = make(map[string]*bool)
	for form := range slices.Chunk(forms, 2) {
		o.forms[form[0]] = cmd.Flags().Bool(form[0], false, form[1])
		_ = cmd.Flags().SetAnnotation(form[0], isForm, nil) // fails only for an unknown flag
	}
}

// Form returns the form that a flag selects, or "" for text.
func (o *Output) Form() string {
	for name, chosen := range o.forms {
		if *chosen {
			return name
		}
	}
	return ""
}

// Check fails early if the output file cannot be written.
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
		return fmt.Errorf("%q is a folder; -o needs the name of a file", o.File)
	case info.Mode().IsRegular() && !o.Force && o.New:
		return fmt.Errorf("%q already exists: choose another name, or overwrite it with --force", o.File)
	case info.Mode().IsRegular() && !o.Force:
		return o.notReport()
	}
	return nil
}

// notReport returns an error if the existing file is not a report, nor another text that can be made again: CI jobs
// write their reports once more, but nothing may overwrite weights by accident.
func (o *Output) notReport() error {
	f, err := os.Open(o.File)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	t, err := filetype.Detect(f, info.Size())
	if err != nil {
		return err
	}
	isReport := slices.Contains([]filetype.Kind{filetype.JSON, filetype.XML, filetype.Text, filetype.Empty}, t.Kind)
	switch {
	case isReport && filetype.IsCompanion(o.File):
		return fmt.Errorf("%q already exists and belongs to a model: choose another name, or overwrite it with --force",
			o.File)
	case isReport && filetype.WeightsFormat(o.File) == "", t.Kind == filetype.HTML && isOwnPage(f):
		return nil
	}
	return fmt.Errorf("%q already exists and is not a report, but %s: choose another name, or overwrite it with --force",
		o.File, t)
}

// isOwnPage reports whether an HTML page was written by view.
func isOwnPage(f io.ReaderAt) bool {
	head := make([]byte, 4<<10)
	n, _ := f.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte("<title>weigh</title>"))
}

// Write calls say with the output and its style. A regular file is written under a temporary name
// and renamed into place when say has succeeded. It is an error if a watched input has changed
// before say is called, or when it returns.
func (s *Session) Write(o *Output, say func(io.Writer, typeset.Style) error) error {
	if err := s.unchanged(); err != nil {
		return err
	}
	return s.write(o, func(w io.Writer, style typeset.Style) error {
		return cmp.Or(say(w, style), s.unchanged())
	})
}

// write writes the output without looking at the inputs.
func (s *Session) write(o *Output, say func(io.Writer, typeset.Style) error) error {
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
	var err error
	// A device or a pipe cannot be replaced by a file; it is written to.
	if info, missing := os.Stat(o.File); missing == nil && !info.Mode().IsRegular() {
		err = s.writeDevice(o, style, say)
	} else {
		s.tidy(o.File)
		err = store.WriteFile(o.File, o.Force || !o.New, func(w io.Writer) error { return say(w, style) })
	}
	if err != nil {
		return &writeError{o.File, err}
	}
	return nil
}

// A Report is the result of a command.
type Report interface {
	// Text writes the report for people.
	Text(w io.Writer, s typeset.Style) error
	// JSON writes the report as one JSON value.
	JSON(w io.Writer, s typeset.Style) error
}

// Report writes a report as text, or as JSON if a flag selects that.
func (s *Session) Report(o *Output, r Report) error {
	return s.WriteForm(o, Forms{"": r.Text, "json": r.JSON})
}

// Forms are the forms of a report by the names of their flags. The name of text is "".
type Forms map[string]func(io.Writer, typeset.Style) error

// WriteForm writes the form that a flag selects, or text if the report does not have it.
func (s *Session) WriteForm(o *Output, forms Forms) error {
	if say, ok := forms[o.Form()]; ok {
		return s.Write(o, say)
	}
	return s.Write(o, forms[""])
}

// Receipt writes the report of a command that writes files to standard output. With --quiet it
// writes only what was asked for: JSON, and the plan of a dry run. The inputs may have been replaced.
func (s *Session) Receipt(r Report, json, dryRun bool) error {
	if s.Quiet && !json && !dryRun {
		return nil
	}
	say := r.Text
	if json {
		say = r.JSON
	}
	if dryRun {
		return s.write(new(Output), say)
	}
	s.Confirm(say)
	return nil
}

// Confirm writes a report of files that are written to standard output. An interrupt comes too late, and so does
// an error of writing the report: it is printed, and the exit code says that the files are written.
func (s *Session) Confirm(say func(io.Writer, typeset.Style) error) {
	out := s.Stdout
	if stops, ok := out.(*stoppable); ok {
		out = stops.w
	}
	if err := say(out, s.Style()); err != nil {
		s.PrintError(fmt.Errorf("everything is written, but the report could not be printed: %w", err))
	}
}

// ProtectInputs returns an error if the output file is one of the inputs, by any name. Not even
// --force allows that.
func (s *Session) ProtectInputs(o *Output) error {
	out, err := os.Stat(o.File)
	if err != nil {
		return nil // nothing is overwritten
	}
	if in := s.inputIs(out); in != "" {
		return Usagef("cannot overwrite %q: it is the input %q", o.File, in)
	}
	return nil
}

// inputIs returns the name of the input that is the given regular file, or "". Links and relative
// paths give one file many names.
func (s *Session) inputIs(file fs.FileInfo) string {
	if !file.Mode().IsRegular() {
		return ""
	}
	for _, name := range s.Inputs {
		if in, err := s.stat(name); err == nil && os.SameFile(in, file) {
			return name
		}
	}
	return ""
}

// writeDevice writes to an existing device or named pipe. A terminal such as /dev/tty gets the
// style of standard output.
func (s *Session) writeDevice(o *Output, style typeset.Style, say func(io.Writer, typeset.Style) error) error {
	f, err := s.OpenDevice(o.File)
	if err != nil {
		return err
	}
	if t := terminalOf(f, s.env); t.width > 0 {
		style = s.styleOn(t)
	}
	_, err = untilDone(s.ctx, func() (struct{}, error) { return struct{}{}, say(f, style) })
	return errors.Join(err, f.Close())
}

// OpenDevice opens an existing device or named pipe for writing, until the program is interrupted.
func (s *Session) OpenDevice(name string) (*os.File, error) {
	return untilDone(s.ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
}

// ProtectStdout returns an error if binary output would go to a terminal, or to an input file that
// the shell opened for appending.
func (s *Session) ProtectStdout() error {
	if s.Style().Terminal() {
		return Usagef("refusing to write binary data to a terminal: use -o or a pipe")
	}
	if out, ok := s.Stdout.(*stoppable); ok {
		if f, ok := out.w.(*os.File); ok {
			if info, err := f.Stat(); err == nil && s.inputIs(info) != "" {
				return Usagef("standard output is one of the input files")
			}
		}
	}
	return nil
}
