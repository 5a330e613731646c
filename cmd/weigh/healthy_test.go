// Healthy repositories: what weigh must not complain about. .ci/interop/healthy writes their descriptions.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/specimen"
)

// specimens expands all descriptions of healthy repositories.
func specimens(t *testing.T) []*specimen.Specimen {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("large files may not be sparse")
	}
	all, err := specimen.Load(os.DirFS("testdata/healthy"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 120 {
		t.Fatalf("%d repositories", len(all))
	}
	return all
}

// TestHealthy checks and identifies all repositories, and checks them for the loaders that support them.
func TestHealthy(t *testing.T) {
	for _, s := range specimens(t) {
		t.Run(s.Name, func(t *testing.T) {
			dir := t.TempDir()
			if err := s.Write(dir); err != nil {
				t.Fatal(err)
			}
			silent(t, dir)
			identified(t, dir, s.Name)
			loaders := slices.DeleteFunc(strings.Fields(s.Facts["loaders"]), func(name string) bool {
				_, ok := loader.Lookup(loader.Name(name))
				return !ok
			})
			if len(loaders) > 0 {
				silent(t, dir, "--for", strings.Join(loaders, ","))
			}
		})
	}
}

// silent expects that check finds nothing above a note.
func silent(t *testing.T, dir string, flags ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	args := append([]string{"check", "--json", "--fail-on", "never", dir}, flags...)
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errs, noEnv); code != 0 || errs.Len() > 0 {
		t.Errorf("check %s: exit code %d: %s", strings.Join(flags, " "), code, errs.String())
	}
	var report struct {
		Findings []struct{ Rule, Severity, File, Message string }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	for _, f := range report.Findings {
		if f.Severity != "note" {
			rel, _ := filepath.Rel(dir, f.File)
			t.Errorf("check %s: %s: %s %s: %s", strings.Join(flags, " "), rel, f.Severity, f.Rule, f.Message)
		}
	}
}

// identified expects that id knows the models that identities.tsv lists, by the name of a repository.
func identified(t *testing.T, dir, name string) {
	t.Helper()
	text, err := os.ReadFile("testdata/healthy/identities.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"id", "--json", dir}, strings.NewReader(""), &out, &errs, noEnv); code != 0 {
		t.Errorf("id: exit code %d: %s", code, errs.String())
	}
	var report struct {
		Models []struct{ Name, Kind, Family string }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	got := make(map[string]string)
	for _, m := range report.Models {
		rel, _ := filepath.Rel(dir, m.Name)
		got[filepath.ToSlash(rel)] = m.Kind + "\t" + m.Family
	}
	for line := range strings.Lines(string(text)) {
		of, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		file, want, _ := strings.Cut(rest, "\t")
		if of == name && got[file] != want {
			t.Errorf("id: %s is %q, want %q", file, got[file], want)
		}
	}
}
