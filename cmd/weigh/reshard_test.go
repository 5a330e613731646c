// Models in other files: sizes, metadata, and what may be where.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// digestsOf returns what each tensor of a model is, and the SHA-256 of its bytes, as
// stats tells them.
func digestsOf(t *testing.T, target string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"stats", "--json", "--digest", "--bins=0", "--sort=name", target}, nil, &out, &errs, noEnv); code != cli.ExitOK {
		t.Fatalf("stats %s: exit code %d: %s", target, code, errs.String())
	}
	return out.String()
}

// weigh runs the program within this process, and expects it to be done.
func weigh(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, nil, &out, &errs, noEnv); code != cli.ExitOK {
		t.Fatalf("weigh %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// TestForeignTensorsSurvive takes 36 tensors of 12 dtypes, as another program wrote
// them to one file and to six, apart and together.
func TestForeignTensorsSurvive(t *testing.T) {
	const fixture = "../../../shared/fixtures/FluxML+SafeTensors.jl/"
	if _, err := os.Stat(fixture); err != nil {
		t.Skip(err)
	}
	want := digestsOf(t, fixture+"non_sharded/model.safetensors")
	if n := strings.Count(want, `"sha256"`); n != 36 {
		t.Fatalf("there are %d tensors", n)
	}
	for _, source := range []string{"non_sharded/model.safetensors", "sharded", "sharded/model.safetensors.index.json"} {
		for _, size := range []string{"1", "300", "1KB", "3KB", "5GB"} {
			dir := filepath.Join(t.TempDir(), "out")
			weigh(t, "split", fixture+source, "-o", dir, "--max-shard-size", size, "--verify")
			weigh(t, "check", dir)
			whole := filepath.Join(t.TempDir(), "model.safetensors")
			weigh(t, "merge", dir, "-o", whole, "--verify")
			if runtime.GOOS != "windows" { // where a file that is open is not replaced
				weigh(t, "split", "--in-place", dir, "--max-shard-size", "2KB", "--keep-order")
			}
			for _, target := range []string{dir, whole} {
				if got := digestsOf(t, target); got != want {
					t.Errorf("%s in shards of %s: %s has other tensors", source, size, target)
				}
			}
		}
	}
}

// TestPythonReads has the package safetensors read what split and merge write.
func TestPythonReads(t *testing.T) {
	const script = `
import hashlib, json, pathlib, sys
from safetensors import deserialize, safe_open
tensors, formats = {}, set()
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors")):
    with safe_open(file, framework="np") as f:
        formats.add((f.metadata() or {}).get("format"))
    for name, t in deserialize(file.read_bytes()):
        tensors[name] = [t["dtype"], t["shape"], hashlib.sha256(t["data"]).hexdigest()]
print(json.dumps([sorted(tensors.items()), sorted(map(str, formats))]))`
	python := func(dir string) string {
		out, err := exec.Command("python3", "-c", script, dir).Output()
		if err != nil {
			t.Skipf("no python3 with safetensors: %v", err)
		}
		return string(out)
	}
	const sample = "../../testdata/sample"
	want := python(sample)
	split, merged := t.TempDir(), t.TempDir()
	weigh(t, "split", sample, "-o", split, "--max-shard-size", "50KB")
	weigh(t, "merge", split, "-o", filepath.Join(merged, "model.safetensors"))
	for _, dir := range []string{split, merged} {
		if got := python(dir); got != want {
			t.Errorf("Python reads %s, want %s", got, want)
		}
	}
}

// TestInterruptedAtOnce: whoever has lost interest before it begins has nothing.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "out")
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"split", "../../testdata/sample", "-o", dir}, nil, &out, &errs, noEnv); code != cli.ExitInterrupt || out.Len()+errs.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder")
	}
}

// modelOf writes a model of n tensors of a megabyte to a folder, in each of which all
// bytes are the given one, as shards of three.
func modelOf(t *testing.T, dir string, n int, value byte) {
	t.Helper()
	const size = 1 << 20
	var tensors []*safetensors.Tensor
	for i := range n {
		one, err := safetensors.NewTensor(fmt.Sprintf("t%02d", i), bytes.Repeat([]byte{value}, size), size)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, one)
	}
	w := shards.Writer{MaxShard: 3 * size, Overwrite: true}
	if _, err := w.Write(t.Context(), dir, tensors...); err != nil {
		t.Fatal(err)
	}
}
