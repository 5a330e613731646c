// The program: what it is run with, and with what code it ends.

// Weigh inspects and judges safetensors files, the format in which most neural
// network weights are published. See weigh --help, or docs/cli.md.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// main is run with what belongs to the process.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// run runs the program and returns its exit code. It uses nothing of the process
// but the files that args name, so that tests can call it.
//
// If the reader of the output goes away, as head does, the program ends with 141
// and says nothing. On Unix it is as a rule the system that ends it so, by
// SIGPIPE.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	sess := cli.NewSession(ctx, stdin, stdout, stderr, env)
	root := rootCmd(sess)
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
	return sess.Exit(err)
}
