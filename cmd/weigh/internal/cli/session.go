// Package cli is what all commands of the program share: streams, flags, help, errors
// and exit codes, output files, progress and terminals.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Exit codes. The last two follow the shell's convention for signals.
const (
	ExitOK         = 0   // success, nothing found
	ExitFound      = 1   // success, and something was found
	ExitUsage      = 2   // wrong usage
	ExitIO         = 3   // a read or write failed
	ExitInterrupt  = 130 // 128 + SIGINT
	ExitBrokenPipe = 141 // 128 + SIGPIPE
)

// A Session is one run of the program: its streams, the flags that all commands share, and the
// files that it reads.
type Session struct {
	ctx            context.Context // of the whole run
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	env            func(string) string
	terminal       terminal
	line           *liveLine // on standard error
	Piped          bool      // standard input is a pipe or a file

	color string // --color
	Quiet bool   // --quiet

	network          // remote targets
	Inputs  []string // files that are read and must not be overwritten

	mu        sync.Mutex     // targets may be opened at once
	watched   []func() error // whether inputs have changed since they were opened
	helpError error          // of writing a help page
}

// NewSession returns a session with the given streams and environment.
func NewSession(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) *Session {
	line := newLiveLine(stderr)
	s := &Session{
		ctx: ctx, Stdin: &interruptible{ctx: ctx, r: stdin}, Stdout: &stoppable{ctx: ctx, w: stdout, line: line},
		Stderr: stderr, line: line, env: env, terminal: terminalOf(stdout, env), Piped: piped(stdin),
	}
	if line.tty != nil {
		s.Stderr = message{stderr, line}
	}
	return s
}

// Env returns a variable of the environment.
func (s *Session) Env(name string) string { return s.env(name) }

// Signatures returns the file of the user's signatures that the environment names, or "".
func (s *Session) Signatures() string { return s.env("WEIGH_SIGNATURES") }

// Register adds the common flags to the root command.
func (s *Session) Register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&s.color, "color", "auto", "use colors: `WHEN` is auto, always or never")
	root.PersistentFlags().BoolVarP(&s.Quiet, "quiet", "q", false,
		"suppress notices; check, scan and writing commands print no report (writing commands do with --json or --dry-run)")
	s.network.register(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if when := []string{"auto", "always", "never"}; !slices.Contains(when, s.color) {
			return UnknownValue("--color", s.color, when)
		}
		return cmp.Or(noEmptyWord(cmd), oneForm(cmd))
	}
}

// AddInputs records files that are read, so no output overwrites them.
func (s *Session) AddInputs(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Inputs = append(s.Inputs, names...)
}

// Watch registers a function that returns an error if an input has changed since it was opened.
// Write calls it, because a report must not mix two states of a file without an error.
func (s *Session) Watch(unchanged func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched = append(s.watched, unchanged)
}

// unchanged returns the error of the first watched input that has changed.
func (s *Session) unchanged() error {
	for _, unchanged := range s.watched {
		if err := unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// ErrFound makes the program exit with ExitFound. The findings have been reported.
var ErrFound = errors.New("something was found")

// ErrUnread makes the program exit with ExitIO. The errors have been printed.
var ErrUnread = errors.New("something could not be read")

// Exit prints err and returns the exit code for it.
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
	case errors.As(err, &fault) && fault.Rule != safetensors.RuleLimit: // by a verb that needs a valid file
		s.PrintError(err)
		return ExitFound
	}
	s.PrintError(err)
	return ExitIO
}

// PrintError prints an error as one line on standard error.
func (s *Session) PrintError(err error) { fmt.Fprintf(s.Stderr, "weigh: %s\n", Describe(err)) }

// Notice prints a notice on standard error, unless --quiet is set.
func (s *Session) Notice(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Quiet {
		fmt.Fprintf(s.Stderr, "weigh: %s\n", typeset.Line(fmt.Sprintf(format, args...)))
	}
}
