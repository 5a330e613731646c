// Folders without weights.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// All commands have the same words and exit code for a folder without weights. Scan and pickle read
// any file.
func TestFolderWithoutWeights(t *testing.T) {
	dir := t.TempDir()
	empty, onnx := filepath.Join(dir, "empty"), filepath.Join(dir, "onnx")
	for _, name := range []string{empty, onnx} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(onnx, "m.onnx"), []byte("\x08\x07"), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, verb := range []string{"info", "header", "layout", "stats", "check", "hash", "metadata", "cat DIR x",
		"diff DIR DIR", "get DIR -o " + out, "split DIR -o " + out, "merge DIR -o " + out + ".safetensors",
		"edit --set a=b DIR -o " + out, "convert DIR -o " + out} {
		if !strings.Contains(verb, "DIR") {
			verb += " DIR"
		}
		for folder, ends := range map[string]string{
			empty: "nor has a folder below it; check the path, or name a folder or file that has weights",
			onnx:  `it has "m.onnx", which is in another format by its name (ONNX); weigh info with the name of that file says what to do with it`,
		} {
			var stdout, stderr bytes.Buffer
			args := strings.Fields(strings.ReplaceAll(verb, "DIR", folder))
			code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, noEnv)
			starts := `the folder "` + filepath.ToSlash(folder) + `" has no weights (*.safetensors, `
			if got := stderr.String(); code != cli.ExitIO || !strings.Contains(got, starts) || !strings.HasSuffix(got, ends+"\n") {
				t.Errorf("weigh %q: exit code %d, errors %q", args, code, got)
			}
		}
	}
}
