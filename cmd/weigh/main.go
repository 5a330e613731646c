// The program: what it is run with, and with what code it ends.

// Weigh inspects and judges safetensors files, the format in which most neural
// network weights are published. See weigh --help, or docs/cli.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// main is run with what belongs to the process.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

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

// run runs the program and returns its exit code. It uses nothing of the process
// but the files that args name, so that tests can call it.
//
// If the reader of the output goes away, as head does, the program ends with 141
// and says nothing. On Unix it is as a rule the system that ends it so, by
// SIGPIPE.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	a := &app{
		stdin:  &interruptible{ctx: ctx, r: stdin},
		stdout: &stoppable{ctx: ctx, w: stdout},
		stderr: stderr,
		env:    env,
	}
	a.terminal = terminalOf(stdout, env)
	a.piped = piped(stdin)
	root := a.rootCmd()
	args, a.implied = withVerb(root, args)
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := errors.Join(root.ExecuteContext(ctx), a.unsaid)
	a.sayCost()
	if err != nil && ctx.Err() != nil {
		return exitInterrupt
	}
	return a.exit(err)
}

// An app is the program while it runs.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	terminal       terminal
	piped          bool // whether standard input has something to read

	color   string // the flag --color
	quiet   bool   // the flag --quiet
	implied bool   // the verb is info since there is none
	unsaid  error  // of writing a help text

	network          // how targets elsewhere are read
	inputs  []string // what was read, or may yet be: see reads
}

// errFound ends the program with exitFound. What was found has been said.
var errFound = errors.New("something was found")

// A usageError is the user's, in calling the program.
type usageError struct{ error }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exit reports err and returns the exit code that it stands for.
func (a *app) exit(err error) int {
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
func (a *app) complain(err error) { fmt.Fprintf(a.stderr, "weigh: %s\n", describe(err)) }

// remark writes what is no error, and may still not be what the user wanted.
func (a *app) remark(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, "weigh: %s\n", typeset.Line(fmt.Sprintf(format, args...)))
	}
}
