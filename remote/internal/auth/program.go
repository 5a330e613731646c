// Programs that print credentials.

package auth

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// Run runs a program for at most 30 seconds and returns its output. If the program fails, failure is the first line
// that it printed. The error means that it could not be run.
func Run(ctx context.Context, input, program string, args ...string) (output []byte, failure string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = strings.NewReader(input), &stdout, &stderr, time.Second
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		said := cmp.Or(strings.TrimSpace(stdout.String()), strings.TrimSpace(stderr.String()), err.Error())
		failure, _, _ = strings.Cut(said, "\n")
		return nil, failure, nil
	}
	return stdout.Bytes(), "", err
}
