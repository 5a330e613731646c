// The JSON of every command.

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// jsonRuns has arguments for each command with --json. OUT is a folder that does not exist.
var jsonRuns = map[string][]string{
	"info":     {"../../testdata/sample", "../../testdata/torch/double.pt"},
	"id":       {"../../testdata/sample", "../../testdata/torch/double.pt"},
	"layout":   {"../../testdata/mlx/dtypes.safetensors"},
	"cat":      {"../../testdata/mlx/dtypes.safetensors a.scalar"},
	"stats":    {"../../testdata/sample", "../../testdata/sample --include **"},
	"check":    {"../../testdata/sample", "../../testdata/scan/make.py", "OUT", "--rules", "--explain hole"},
	"scan":     {"../../testdata/scan", "../../testdata/scan/model.pt", "../../testdata/sample", "../../testdata/scan OUT"},
	"pickle":   {"../../testdata/scan/model.pt"},
	"hash":     {"../../testdata/sample", "../../testdata/sample --tensors"},
	"diff":     {"../../testdata/sample ../../testdata/mlx/dtypes.safetensors"},
	"metadata": {"../../testdata/sample"},
	"edit":     {"../../testdata/sample --set a=b -o OUT"},
	"split":    {"../../testdata/sample -o OUT"},
	"merge":    {"../../testdata/sample -o OUT.safetensors"},
	"convert":  {"../../testdata/scan/model.pt -o OUT.safetensors"},
	"get":      {"../../testdata/sample -o OUT"},
	"version":  {""},
}

func TestJSONOfEveryCommand(t *testing.T) {
	for _, cmd := range rootCmd(new(cli.Session)).Commands() {
		if cmd.Flags().Lookup("json") == nil {
			continue
		}
		runs := jsonRuns[cmd.Name()]
		if len(runs) == 0 {
			t.Errorf("no arguments to try weigh %s --json with", cmd.Name())
		}
		for _, line := range runs {
			line = strings.ReplaceAll(line, "OUT", filepath.Join(t.TempDir(), "out"))
			args := append([]string{cmd.Name(), "--json"}, strings.Fields(line)...)
			var out, errs bytes.Buffer
			code := run(t.Context(), args, strings.NewReader(""), &out, &errs, noEnv)
			var document json.RawMessage
			d := json.NewDecoder(&out)
			if err := d.Decode(&document); err != nil {
				t.Errorf("weigh %q: exit code %d, %v, errors %q", args, code, err, errs.String())
				continue
			}
			validateDocument(t, line, document)
			if rest, _ := io.ReadAll(io.MultiReader(d.Buffered(), &out)); string(rest) != "\n" {
				t.Errorf("weigh %q: %q after the JSON", args, rest)
			}
		}
	}
}
