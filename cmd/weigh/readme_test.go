// The README and the guide: their commands print what they say, and their code compiles.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

const (
	readme = "../../README.md"
	guide  = "../../docs/guide.md"
)

// A transcript is a fenced block that begins with a command after a
// dollar sign; the rest is what the command prints.
var transcript = regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```\n")

func TestReadmeTranscripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	for _, name := range []string{readme, guide} {
		t.Run(filepath.Base(name), func(t *testing.T) { testTranscripts(t, name) })
	}
}

func testTranscripts(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	documents := recordDocuments(t, func() {})
	t.Setenv(documentsDir, documents)
	got := transcript.ReplaceAllStringFunc(string(text), func(block string) string {
		command := transcript.FindStringSubmatch(block)[1]
		return "```console\n$ " + command + "\n" + shell(t, command) + "```\n"
	})
	if got == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not what its commands print: go test ./cmd/weigh -run Readme -update writes\n%s", name, got)
}

// shell returns what a command prints, run in the root of the repository. The
// program is on the path: see TestMain. That it finds something is no error.
func shell(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != cli.ExitFound {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// The first commands that a newcomer runs are the two of the README, and no more.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("the README has no commands")
	}
	lines := strings.Split(strings.TrimSpace(block[1]), "\n")
	if len(lines) != 2 || lines[1] != "go test work" {
		t.Fatalf("%q, want the main job and the tests", lines)
	}
	if testing.Short() {
		t.Skip("building takes a while")
	}
	command, _, _ := strings.Cut(lines[0], "#")
	if want := shell(t, "weigh testdata/sample"); shell(t, command) != want {
		t.Errorf("%s does not print the first transcript", command)
	}
}

// A task is a row of the table of tasks, which ends in a command.
var task = regexp.MustCompile("(?m)^\\| .* \\| `(weigh [^`]*)` \\|$")

// The commands of the table do what they are there for, one after the other, in a
// folder with a model and two adapters.
func TestReadmeTasks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	weigh(t, "merge", "../../testdata/sample", "-o", filepath.Join(dir, "model.safetensors"))
	pickle := []byte("\x80\x02}X\x04\x00\x00\x00biasK\x00s.") // {"bias": 0}
	if err := os.WriteFile(filepath.Join(dir, "weights.pkl"), pickle, 0o666); err != nil {
		t.Fatal(err)
	}
	checkpoint, err := os.ReadFile("../../testdata/torch/checkpoint.pt")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pytorch_model.bin"), checkpoint, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		one, err := safetensors.NewTensor(name, []float32{1, 2}, 2)
		if err != nil {
			t.Fatal(err)
		}
		e := safetensors.Encoder{Metadata: map[string]string{"trained_on": name}}
		if err := e.WriteFile(filepath.Join(dir, name+".safetensors"), one); err != nil {
			t.Fatal(err)
		}
	}
	verbs := make(map[string]bool)
	for _, m := range task.FindAllStringSubmatch(string(text), -1) {
		cmd := exec.Command("sh", "-c", m[1])
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 && !strings.Contains(m[1], " -o ") &&
			!strings.Contains(m[1], " --export ") {
			t.Errorf("%s: %v, %q", m[1], err, out)
		}
		verbs[strings.Fields(m[1])[1]] = true
	}
	for _, verb := range documented(rootCmd(new(cli.Session))) {
		if verb.GroupID != "Other commands" && !verbs[verb.Name()] {
			t.Errorf("no task is one for %s", verb.Name())
		}
	}
}

// The README's code is that of an example, which the compiler and go test see.
func TestReadmeCode(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../readme_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```\n").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no code")
	}
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			if !strings.Contains(string(example), strings.TrimSpace(line)) {
				t.Errorf("the example has no %q", strings.TrimSpace(line))
			}
		}
	}
}

// The variables that the guide names are those of the environment that the program asks
// for: each stands in its source, or in that of the stores.
func TestGuideVariables(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, pattern := range []string{"*.go", "internal/cli/*.go", "../../remote/*.go", "../../remote/*/*.go", "../../remote/internal/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			code, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				source.Write(code)
			}
		}
	}
	_, section, _ := strings.Cut(string(text), "| variable |")
	names := regexp.MustCompile("`([A-Z]+_[A-Z0-9_]+)`").FindAllStringSubmatch(section, -1)
	if len(names) == 0 {
		t.Fatal("the guide has no variables")
	}
	for _, name := range names {
		if !strings.Contains(source.String(), strconv.Quote(name[1])) {
			t.Errorf("nothing looks at %s", name[1])
		}
	}
}
