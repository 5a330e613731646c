// Models in other files, when all goes wrong: signals, full disks, broken pipes.

//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// hidden returns the names in a folder that begin with a dot.
func hidden(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestSignalsLeaveOldOrNew ends the program at random points while it replaces a
// model: killed, it may leave hidden files; interrupted, it has none to leave. What
// is there is the old model or the new one.
func TestSignalsLeaveOldOrNew(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	src, past := t.TempDir(), t.TempDir()
	modelOf(t, src, 12, 1)
	modelOf(t, past, 12, 2)
	next, last := digestsOf(t, src), digestsOf(t, past)
	counts := make(map[string]int)
	for i := range 24 {
		out := filepath.Join(t.TempDir(), "out")
		modelOf(t, out, 12, 2)
		signal := []os.Signal{os.Kill, os.Interrupt, syscall.SIGTERM}[i%3]
		code := signalled(t, signal, [][]string{
			{"split", "--force", "--max-shard-size", "2MB", src, "-o", out},
			{"merge", "--force", src, "-o", filepath.Join(out, "model.safetensors")},
		}[i/3%2])
		left := hidden(t, out)
		if code != cli.ExitOK && code != cli.ExitInterrupt && code != -1 || signal != os.Kill && len(left) > 0 {
			t.Errorf("%v: exit code %d, and hidden files %q", signal, code, left)
		}
		found := "none"
		if target := modelIn(out); target != "" {
			switch digestsOf(t, target) {
			case last:
				found = "old"
			case next:
				found = "new"
			default:
				t.Errorf("%v: %s is neither the old model nor the new one", signal, target)
			}
		} else if signal != os.Kill || len(left) == 0 {
			// A moment there is none, while files get their names. Both are there all
			// the same, in part by their names in the hidden folder, which package
			// checkpoint tests.
			t.Errorf("%v: there is no model", signal)
		}
		counts[found]++
	}
	if got := digestsOf(t, src); got != next {
		t.Error("the source has changed")
	}
	t.Log(counts)
}

// signalled runs the program, sends it a signal after some time, and returns its exit
// code; -1 if it had not come so far as to take note of the signal, or cannot.
func signalled(t *testing.T, signal os.Signal, args []string) int {
	t.Helper()
	cmd := exec.Command("weigh", args...)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(120_000))*time.Microsecond, func() { cmd.Process.Signal(signal) })
	defer timer.Stop()
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// modelIn returns the one file of a folder, or its index, or "". If both are there,
// the file is the new model, and the older one was not all removed.
func modelIn(dir string) string {
	for _, name := range []string{"model.safetensors", "model.safetensors.index.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// TestInterruptedWhileItIsRead: the reader of a pipe has seen a part when the user
// loses interest.
func TestInterruptedWhileItIsRead(t *testing.T) {
	src := t.TempDir()
	modelOf(t, src, 12, 1)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := make(chan int64)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			got <- -1
			return
		}
		defer f.Close()
		n, _ := io.CopyN(io.Discard, f, 2<<20)
		cancel()
		rest, _ := io.Copy(io.Discard, f)
		got <- n + rest
	}()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"merge", src, "-o", pipe}, nil, &out, &errs, noEnv)
	if n := <-got; code != cli.ExitInterrupt || n >= 12<<20 || out.Len()+errs.Len() > 0 {
		t.Errorf("exit code %d, %d bytes came through, %q, %q", code, n, out.String(), errs.String())
	}
}

// TestReaderOfThePipeIsGone: what head has seen enough of is no failure to report.
func TestReaderOfThePipeIsGone(t *testing.T) {
	src := t.TempDir()
	modelOf(t, src, 12, 1)
	cmd := exec.Command("sh", "-c", `{ weigh merge "$0" -o -; echo $? >&2; } | head -c 100`, src)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || len(out) != 100 || strings.TrimSpace(errs.String()) != "141" {
		t.Errorf("%d bytes, %q, %v", len(out), errs.String(), err)
	}
}
