// Advice: every command that a file of another format is met with, run on that file.

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/filetype"
)

// samplesDir has files of every kind, called KIND.bin or KIND~VARIANT.bin; see make.py there.
const samplesDir = "../../filetype/testdata"

// advised matches the commands in advice.
var advised = regexp.MustCompile("`([^`]+)`")

// TestAdvice writes each sample under the name of a safetensors file, has weigh check it,
// and runs the commands of the advice. They must succeed, and what they write must be the
// tensors that the sample was made of.
func TestAdvice(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	samples, err := filepath.Glob(filepath.Join(samplesDir, "*.bin"))
	if err != nil || len(samples) == 0 {
		t.Fatal(samples, err)
	}
	want, err := os.ReadFile(filepath.Join(samplesDir, "safetensors.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		t.Run(strings.TrimSuffix(filepath.Base(sample), ".bin"), func(t *testing.T) {
			b, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := filetype.Detect(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if kind.Kind == filetype.LFSPointer {
				b = lfsClone(t, dir, want)
			}
			const name = "it's weights.safetensors"
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
			advice := filetype.For(kind.Advice(), name)
			if text := said(t, dir, name); !strings.Contains(text, oneLine(advice)) && !ownRule(kind.Kind) {
				t.Errorf("check says %s, and not %s", text, advice)
			}
			for _, command := range advised.FindAllStringSubmatch(advice, -1) {
				follow(t, dir, command[1], want)
			}
		})
	}
}

// ownRule reports whether check has rules that say more of such a file than that it is of
// another format.
func ownRule(k filetype.Kind) bool {
	return slices.Contains([]filetype.Kind{filetype.Safetensors, filetype.Unknown, filetype.Empty, filetype.Pickle}, k)
}

// said returns what check writes about a file, on one line.
func said(t *testing.T, dir, name string) string {
	t.Helper()
	cmd := exec.Command("weigh", "check", name)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	return oneLine(string(out))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// follow runs a command in a folder. If it writes a file, that has the tensors that are wanted.
func follow(t *testing.T, dir, command string, want []byte) {
	t.Helper()
	program, _, _ := strings.Cut(command, " ")
	if program == "git" {
		program = "git-lfs"
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
	if command == "weigh convert" {
		return // the verb is named, and not a command to be run
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); strings.HasPrefix(command, "weigh scan ") && (code == 1 || code == 3) {
		return // the sample has what the advice says that scan finds
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	for _, name := range []string{"NEW", "NEW.safetensors", "model.safetensors", "model/model.safetensors"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			t.Fatal(err)
		case strings.HasPrefix(command, "weigh"):
			if text := said(t, dir, name); !strings.Contains(text, "ok") {
				t.Errorf("%s wrote %s: %s", command, name, text)
			}
		case !bytes.Equal(got, want) && len(got) > 1: // some samples are of nothing, or of one byte
			t.Errorf("%s wrote %q to %s", command, got, name)
		}
		return
	}
	if strings.Contains(command, "NEW") {
		t.Errorf("%s wrote nothing", command)
	}
}

// lfsClone makes of dir a clone of a repository in which model.safetensors is kept by Git
// LFS and was not downloaded. It returns the pointer.
func lfsClone(t *testing.T, dir string, content []byte) []byte {
	t.Helper()
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip(err)
	}
	source, bare := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "model.safetensors"), content, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, step := range []struct{ dir, script string }{
		{bare, "git init -q --bare ."},
		{source, "git init -q -b main . && git lfs install --local && git lfs track '*.safetensors' && git add . && " +
			"git -c user.name=t -c user.email=t@example.org commit -qm model && git remote add origin 'file://" + bare + "' && git push -q origin main"},
		{bare, "git symbolic-ref HEAD refs/heads/main"},
		{dir, "GIT_LFS_SKIP_SMUDGE=1 git -c core.hooksPath=/dev/null clone -q 'file://" + bare + "' . && git lfs install --local"},
	} {
		cmd := exec.Command("sh", "-c", step.script)
		cmd.Dir = step.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.script, err, out)
		}
	}
	pointer, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return pointer
}
