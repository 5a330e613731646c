// docs/ci.md: its commands do what it says, its configurations can be read, and so can
// the hook for pre-commit.

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/gate"
)

// blocks returns the fenced blocks of docs/ci.md in a language.
func blocks(t *testing.T, language string) (list []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		list = append(list, m[1])
	}
	if len(list) == 0 {
		t.Fatalf("docs/ci.md has no %s", language)
	}
	return list
}

// commands returns the calls of the program in a block: lines of a shell, and steps of
// a pipeline.
func commands(block string) (list [][]string) {
	for line := range strings.Lines(block) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		line = strings.TrimPrefix(line, "run: ")
		if strings.HasPrefix(line, "weigh ") {
			list = append(list, strings.Fields(line))
		}
	}
	return list
}

func TestCommandsOfCI(t *testing.T) {
	sample := absolute(t, "../../testdata/gguf/source") // small, and whole for every loader
	config := blocks(t, "toml")[0]
	var all [][]string
	for _, block := range append(blocks(t, "sh"), blocks(t, "yaml")...) {
		all = append(all, commands(block)...)
	}
	if len(all) < 10 {
		t.Fatalf("docs/ci.md has %d commands", len(all))
	}
	t.Chdir(t.TempDir())
	for _, folder := range []string{"models", "served"} {
		if err := os.CopyFS(folder, os.DirFS(sample)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(".weigh.toml", []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range slices.Concat(all, all) { // jobs run in the same folder again
		var out, errs bytes.Buffer
		if code := run(t.Context(), args[1:], nil, &out, &errs, noEnv); code != cli.ExitOK {
			t.Errorf("%s: exit code %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
		}
	}
	// What it says of a folder that is sound goes for one that is not.
	if err := os.Truncate(filepath.Join("models", "model.safetensors"), 1000); err != nil {
		t.Fatal(err)
	}
	for _, args := range all {
		if flags := strings.Join(args, " "); args[1] == "check" && args[len(args)-1] == "models" && !strings.Contains(flags, "--write-baseline") {
			code := run(t.Context(), args[1:], nil, io.Discard, io.Discard, noEnv)
			if code != cli.ExitFound {
				t.Errorf("%s: exit code %d of a file that is cut off", flags, code)
			}
		}
	}
}

// Each gate of the page that scans: what it says of a folder with a file that is not
// analyzed, with one that is suspicious, and with one that is dangerous.
func TestScanOfCI(t *testing.T) {
	var gates [][]string
	for _, block := range blocks(t, "sh") {
		for _, args := range commands(block) {
			if args[1] == "scan" {
				gates = append(gates, args[1:])
			}
		}
	}
	if len(gates) != 3 {
		t.Fatalf("docs/ci.md has %d gates", len(gates))
	}
	for what, tt := range map[string]struct {
		name, content string
		codes         [3]int // by default, and with --fail-on unanalysed and dangerous
	}{
		"text":               {"README.md", "# A model\n", [3]int{0, 0, 0}},
		"Python source":      {"model.py", "import os\n", [3]int{3, 1, 3}},
		"a truncated pickle": {"model.pkl", "\x80\x02}X", [3]int{3, 3, 3}},
		"an unknown import":  {"model.pkl", "\x80\x02cours\nNet\n)R.", [3]int{1, 1, 0}},
		"code":               {"model.pkl", "cos\nsystem\n(S'true'\ntR.", [3]int{1, 1, 1}},
	} {
		t.Chdir(t.TempDir())
		if err := os.Mkdir("models", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("models", tt.name), []byte(tt.content), 0o666); err != nil {
			t.Fatal(err)
		}
		for i, args := range gates {
			if code := run(t.Context(), args, nil, io.Discard, io.Discard, noEnv); code != tt.codes[i] {
				t.Errorf("%s with %s: exit code %d, want %d", strings.Join(args, " "), what, code, tt.codes[i])
			}
		}
	}
}

func TestConfigurationsOfCI(t *testing.T) {
	for _, block := range blocks(t, "toml") {
		c, err := gate.Parse("docs/ci.md", []byte(block))
		if err != nil {
			t.Error(err)
			continue
		}
		// It may lie beside weights, as the page says.
		if err := c.CheckFound(); err != nil {
			t.Error(err)
		}
	}
}

// The hook is read line by line: the test needs no module that reads YAML.
func TestPreCommitHook(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	hook := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "- "), ": "); ok && !strings.HasPrefix(line, "#") {
			hook[key] = value
		}
	}
	files, err := regexp.Compile(hook["files"])
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"model.safetensors": true, "unet/model.safetensors.index.json": true, "model.safetensors.md": false, "model.bin": false, "safetensors": false,
	} {
		if files.MatchString(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	// pre-commit builds all programs of the repository, and runs the entry with the
	// files of the commit at its end.
	args := strings.Fields(hook["entry"])
	if hook["language"] != "golang" || len(args) == 0 || args[0] != "weigh" || hook["id"] != "weigh-check" {
		t.Fatalf("%q", hook)
	}
	named := []string{"../../testdata/sample/model-00001-of-00002.safetensors", "../../testdata/sample/model.safetensors.index.json"}
	if code := run(t.Context(), append(args[1:], named...), nil, io.Discard, io.Discard, noEnv); code != cli.ExitOK {
		t.Errorf("exit code %d", code)
	}
	for _, block := range blocks(t, "yaml") {
		if strings.Contains(block, "repos:") && !strings.Contains(block, "- id: "+hook["id"]) {
			t.Errorf("docs/ci.md does not use the hook %s", hook["id"])
		}
	}
}
