// The root module requires no other module, and programs that import it get none.

package safetensors_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// TestNoRequirements holds the promise of the root's go.mod, and that no go.mod
// replaces a module, which go install refuses.
func TestNoRequirements(t *testing.T) {
	if _, err := os.Stat("go.sum"); err == nil {
		t.Error("the root module has a go.sum")
	}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "go.mod" {
			if d != nil && d.IsDir() && (d.Name() == ".git" || d.Name() == ".cache" || d.Name() == ".peers" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			directive, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if directive == "replace" || name == "go.mod" && (directive == "require" || directive == "tool") {
				t.Errorf("%s: %s", name, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestConsumer builds and runs a program of another module against this tree, without
// the workspace and without a network.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("building takes a while")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/consumer")); err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module example.com/consumer\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", module, filepath.ToSlash(root))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".", filepath.Join(root, "testdata/sample/model-00002-of-00002.safetensors"), "doubled.safetensors")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-trimpath")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "model.norm.weight F32 [64]\nlm_head.weight BF16 [1000 64]\n"; string(out) != want {
		t.Errorf("it prints\n%s, want\n%s", out, want)
	}
	f, err := safetensors.Open(filepath.Join(dir, "doubled.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Tensor("doubled"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.sum")); err == nil {
		t.Error("the program got a go.sum")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(text) != mod {
		t.Errorf("its go.mod changed: %v\n%s", err, text)
	}
}
