//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// TestPipes: nobody writes to the pipe, or reads from it. A pipe with weights is refused; for any other file of a command
// line the program waits until it is interrupted.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	const source = "../../testdata/torch/checkpoint.pt"
	out := filepath.Join(dir, "new.safetensors")
	for i, k := range []struct {
		args string
		code int
	}{
		{"convert pipe -o " + out, cli.ExitIO},
		{"scan pipe", cli.ExitIO},
		{"info pipe", cli.ExitIO},
		{"convert " + source + " --policy pipe -o " + out, cli.ExitInterrupt},
		{"convert " + source + " --keep-values pipe -o " + out, cli.ExitInterrupt},
		{"scan --policy pipe " + source, cli.ExitInterrupt},
		{"scan -o pipe " + source, cli.ExitInterrupt},
		{"check --baseline pipe " + source, cli.ExitInterrupt},
		{"hash --check pipe", cli.ExitInterrupt},
		{"merge -o pipe ../../testdata/sample", cli.ExitInterrupt},
	} {
		pipe := filepath.Join(dir, fmt.Sprint("pipe", i)) // what waits for the last one goes on
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
		args := strings.Fields(strings.ReplaceAll(k.args, "pipe", pipe))
		patience := 300 * time.Millisecond
		if k.code == cli.ExitIO {
			patience = time.Minute
		}
		ctx, stop := context.WithTimeout(context.Background(), patience)
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, strings.NewReader(""), &stdout, &stderr, func(string) string { return "" })
		stop()
		if code != k.code {
			t.Errorf("weigh %s: exit code %d, want %d: %s", k.args, code, k.code, stderr.String())
		}
		if k.code == cli.ExitIO && !strings.Contains(stderr.String(), "is a named pipe, not a regular file") {
			t.Errorf("weigh %s: %s", k.args, stderr.String())
		}
	}
}
