// Sources that another process writes while they are read.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// rewrite gives a file another date, again and again, until the test ends.
func rewrite(t *testing.T, path string) {
	var writer sync.WaitGroup
	done := make(chan struct{})
	started := make(chan struct{})
	writer.Go(func() {
		for at := time.Unix(1e9, 0); ; at = at.Add(time.Microsecond) {
			select {
			case <-done:
				return
			default:
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Error(err)
				return
			}
			if at.Unix() == 1e9 && at.Nanosecond() == 0 {
				close(started)
			}
		}
	})
	<-started
	t.Cleanup(func() { close(done); writer.Wait() })
}

// Every verb that reads data says so, and leaves no output. A verb may be done before the file is
// written again: it has some attempts.
func TestSourceChangesWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "model.safetensors")
	tensor, err := safetensors.NewTensor("w", make([]float32, 1<<20), 1<<20)
	if err == nil {
		err = safetensors.WriteFile(source, tensor)
	}
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "checkpoint.pt")
	if err := os.CopyFS(dir, os.DirFS("../../testdata/torch")); err != nil {
		t.Fatal(err)
	}
	rewrite(t, source)
	rewrite(t, archive)
	for _, args := range []string{
		"hash SRC", "hash --set SRC", "hash --json SRC", "stats SRC", "stats --json SRC", "diff SRC SRC", "diff --values SRC SRC",
		"cat --format raw SRC w -o OUT", "scan SRC", "check --data SRC", "split --max-shard-size 1MB SRC -o OUT",
		"merge SRC -o OUT.safetensors", "merge SRC -o -", "edit --cast F16 SRC -o OUT.safetensors",
		"convert PT -o OUT.safetensors",
	} {
		out := filepath.Join(t.TempDir(), "out")
		words := strings.Fields(strings.NewReplacer("SRC", source, "OUT", out, "PT", archive).Replace(args))
		const attempts = 300
		for i := 0; ; i++ {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), words, new(bytes.Buffer), &stdout, &stderr, noEnv)
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
			if code == cli.ExitOK && i < attempts {
				for _, name := range left {
					os.RemoveAll(name)
				}
				continue
			}
			if said := stderr.String() + stdout.String(); code != cli.ExitIO || !strings.Contains(said, "changed while it was read") {
				t.Errorf("weigh %s: exit code %d\n%.2000s", args, code, said)
			}
			for _, name := range left {
				if inside, _ := os.ReadDir(name); len(inside) > 0 || filepath.Ext(name) != "" {
					t.Errorf("weigh %s left %q", args, name)
				}
			}
			break
		}
	}
}
