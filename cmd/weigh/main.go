// The program.

// Weigh inspects, verifies, converts and edits model weight files. See weigh --help or
// docs/cli.md.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

func main() { os.Exit(start(os.Stdout)) }

// start runs the program with the process's arguments, signals and streams, except for the given output.
func start(stdout io.Writer) (code int) {
	cli.TuneCollector()
	log.SetOutput(io.Discard) // packages of Go's library log what only their authors can use
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // a second signal ends the program immediately
	return run(ctx, os.Args[1:], os.Stdin, cli.OrClosed(stdout), os.Stderr, os.Getenv)
}

// run runs the program and returns its exit code. It does not use the process's own streams and
// environment, which lets tests call it.
//
// If the reader of the output closes the pipe, as head does, the exit code is 141. On Unix the
// signal SIGPIPE usually ends the program before that.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	sess := cli.NewSession(ctx, stdin, stdout, stderr, env)
	root := rootCmd(sess)
	typed := args
	args, implied := withVerb(root, args)
	if implied {
		checkImplied(root)
	}
	root.SetArgs(args)
	root.SetOut(sess.Stdout)
	root.SetErr(sess.Stderr)
	err := root.ExecuteContext(ctx)
	sess.PrintCost()
	if err != nil && ctx.Err() != nil {
		return cli.ExitInterrupt
	}
	return sess.Exit(translated(sess, typed, err))
}
