// One run of the program: its streams, the flags of all verbs, and what it has read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The codes with which the program ends. The last two are those of a shell for
// a program that a signal ended.
const (
	exitOK         = 0   // done, nothing found
	exitFound      = 1   // looked, and found something
	exitUsage      = 2   // wrong usage
	exitIO         = 3   // could not read or write
	exitInterrupt  = 130 // 128 + SIGINT
	exitBrokenPipe = 141 // 128 + SIGPIPE
)

// A session is one run of the program: its streams, the flags that all verbs have,
// and the names of the files that it reads.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	terminal       terminal
	piped          bool // whether standard input has something to read

	color string // the flag --color
	quiet bool   // the flag --quiet

	network          // how remote targets are read
	inputs  []string // what is read, and must not be overwritten: see reading
}

// newSession returns a session with these streams and environment.
func newSession(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) *session {
	return &session{
		stdin: &interruptible{ctx: ctx, r: stdin}, stdout: &stoppable{ctx: ctx, w: stdout}, stderr: stderr,
		env: env, terminal: terminalOf(stdout, env), piped: piped(stdin),
	}
}

// register adds the flags of all verbs to the root command.
func (a *session) register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no remarks on standard error; check, scan and what changes files say nothing at all")
	a.network.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains([]string{"auto", "always", "never"}, a.color) {
			return usagef("--color is %q, and can be auto, always or never", a.color)
		}
		return oneForm(cmd)
	}
}

// reading takes note of files that are read, so that no output overwrites them.
func (a *session) reading(names ...string) { a.inputs = append(a.inputs, names...) }

// errFound ends the program with exitFound. What was found has been said.
var errFound = errors.New("something was found")

// errUnread ends the program with exitIO. What could not be read has been said.
var errUnread = errors.New("something could not be read")

// A usageError is the user's, in calling the program.
type usageError struct{ error }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exit reports err and returns the exit code that it stands for.
func (a *session) exit(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitFound
	case errors.Is(err, errUnread):
		return exitIO
	case readerGone(err), errors.Is(err, io.ErrClosedPipe):
		return exitBrokenPipe
	case errors.As(err, &usage):
		a.complain(err)
		return exitUsage
	}
	a.complain(err)
	return exitIO
}

// complain writes an error as one line.
func (a *session) complain(err error) { fmt.Fprintf(a.stderr, "weigh: %s\n", describe(err)) }

// remark writes what is no error, and may still not be what the user wanted.
func (a *session) remark(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, "weigh: %s\n", typeset.Line(fmt.Sprintf(format, args...)))
	}
}
