// One run of the program: its streams, the flags of all verbs, and what it has read.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The codes with which the program ends. The last two are those of a shell for
// a program that a signal ended.
const (
	ExitOK         = 0   // done, nothing found
	ExitFound      = 1   // looked, and found something
	ExitUsage      = 2   // wrong usage
	ExitIO         = 3   // could not read or write
	ExitInterrupt  = 130 // 128 + SIGINT
	ExitBrokenPipe = 141 // 128 + SIGPIPE
)

// A Session is one run of the program: its streams, the flags that all verbs have,
// and the names of the files that it reads.
type Session struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	env            func(string) string
	terminal       terminal
	Piped          bool // whether standard input has something to read

	color string // the flag --color
	Quiet bool   // the flag --quiet

	network          // how remote targets are read
	Inputs  []string // what is read, and must not be overwritten: see reading

	helpError error // of writing a help text
}

// NewSession returns a session with these streams and environment.
func NewSession(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) *Session {
	return &Session{
		Stdin: &interruptible{ctx: ctx, r: stdin}, Stdout: &stoppable{ctx: ctx, w: stdout}, Stderr: stderr,
		env: env, terminal: terminalOf(stdout, env), Piped: piped(stdin),
	}
}

// Register adds the flags of all verbs to the root command.
func (s *Session) Register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&s.color, "color", "auto", "`WHEN` to use colours: auto, always or never")
	root.PersistentFlags().BoolVarP(&s.Quiet, "quiet", "q", false, "no remarks on standard error; check, scan and what changes files say nothing at all")
	s.network.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains([]string{"auto", "always", "never"}, s.color) {
			return Usagef("--color is %q, and can be auto, always or never", s.color)
		}
		return oneForm(cmd)
	}
}

// AddInputs takes note of files that are read, so that no output overwrites them.
func (s *Session) AddInputs(names ...string) { s.Inputs = append(s.Inputs, names...) }

// ErrFound ends the program with exitFound. What was found has been said.
var ErrFound = errors.New("something was found")

// ErrUnread ends the program with exitIO. What could not be read has been said.
var ErrUnread = errors.New("something could not be read")

// A UsageError is the user's, in calling the program.
type UsageError struct{ error }

// Usage returns err as a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a usageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Exit reports err and returns the exit code that it stands for.
func (s *Session) Exit(err error) int {
	var usage UsageError
	if err == nil {
		err = s.helpError
	}
	var fault *safetensors.Violation
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrFound):
		return ExitFound
	case errors.Is(err, ErrUnread):
		return ExitIO
	case readerGone(err), errors.Is(err, io.ErrClosedPipe):
		return ExitBrokenPipe
	case errors.As(err, &usage):
		s.PrintError(err)
		return ExitUsage
	case errors.As(err, &fault): // by a verb that needs a valid file
		s.PrintError(err)
		return ExitFound
	}
	s.PrintError(err)
	return ExitIO
}

// PrintError writes an error as one line.
func (s *Session) PrintError(err error) { fmt.Fprintf(s.Stderr, "weigh: %s\n", Describe(err)) }

// Notice writes what is no error, and may still not be what the user wanted.
func (s *Session) Notice(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Stderr, "weigh: %s\n", typeset.Line(fmt.Sprintf(format, args...)))
	}
}
