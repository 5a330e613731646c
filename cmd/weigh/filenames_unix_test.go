// Names of files that are not UTF-8, links as outputs, and folders that do not exist.

//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// TestNamesOfAnyBytes runs commands on a folder and a file whose names are not UTF-8. Messages escape them.
func TestNamesOfAnyBytes(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const dir, file = "d\xff", "d\xff/m\xfe.safetensors"
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skip(err) // macOS refuses the name
	}
	weigh(t, "merge", sample, "-o", file)
	for _, args := range [][]string{
		{"info", dir}, {"info", file, "--json"}, {"check", dir, "--data"}, {"check", file, "--sarif"},
		{"check", file, "--junit"}, {"hash", dir}, {"stats", file}, {"layout", file}, {"scan", dir}, {"diff", file, sample},
		{"metadata", "--set", "a=b", file}, {"metadata", "--set", "a=" + strings.Repeat("b", 9000), dir},
		{"edit", file, "--drop", "model.norm.weight", "--in-place"},
		{"edit", dir, "--cast", "F32=BF16", "--cast", "BF16=F16", "-o", "new\xfd"},
		{"split", dir, "--max-shard-size", "1MB", "-o", "one\xfc"},
		{"split", dir, "--max-shard-size", "1KB", "--stem", "model", "-o", "many\xfc"},
		{"edit", "many\xfc", "--drop", "model.embed_tokens.weight", "--in-place"},
		{"get", dir, "-o", "got\xfb"}, {"get", "many\xfc", "-o", "got\xfa"}, {"hash", "got\xfb/m\xfe.safetensors"},
		{"edit", "--recover", dir},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, noEnv)
		if code != cli.ExitOK && args[0] != "diff" || !utf8.Valid(stdout.Bytes()) || !utf8.Valid(stderr.Bytes()) {
			t.Errorf("weigh %q: exit code %d: %q %q", args, code, stdout.String(), stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"split", dir, "--max-shard-size", "1KB", "-o", "x"}, nil, &stdout, &stderr, noEnv)
	if code != cli.ExitUsage || !strings.Contains(stderr.String(), `the stem "m\xfe" is not UTF-8`) {
		t.Errorf("shards with such names in an index: exit code %d, %s", code, stderr.String())
	}
}

// TestRemovedWorkingDirectory: absolute targets need no working directory.
func TestRemovedWorkingDirectory(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"info"}, {"check"}, {"hash"}, {"stats"}, {"scan"}, {"metadata"}, {"get", "-o", out + "1"},
		{"split", "-o", out + "2"}, {"merge", "-o", out + ".safetensors"}, {"edit", "--set", "a=b", "-o", out + "3"}} {
		weigh(t, append(args, sample)...)
	}
}

// TestOutputsThatAreLinks: a link that is named as output stays, and its target is replaced. In a folder, a link is
// replaced, because it may lead to a file that other folders share.
func TestOutputsThatAreLinks(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	torch, err := filepath.Abs("../../testdata/torch/checkpoint.pt")
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("old")
	for _, test := range []struct {
		args    []string
		follows bool
	}{
		{[]string{"merge", sample, "-o", "out/model.safetensors"}, true},
		{[]string{"edit", "in/model.safetensors", "-o", "out/model.safetensors", "--set", "a=b"}, true},
		{[]string{"convert", torch, "-o", "out/model.safetensors"}, true},
		{[]string{"cat", "in/model.safetensors", "model.norm.weight", "-o", "out/model.npy"}, true},
		{[]string{"info", "in/model.safetensors", "-o", "out/model.safetensors"}, true},
		{[]string{"edit", "in", "-o", "out", "--set", "a=b"}, false},
		{[]string{"split", "in", "--max-shard-size", "1GB", "-o", "out"}, false},
		{[]string{"get", "in", "-o", "out"}, false},
	} {
		t.Chdir(t.TempDir())
		weigh(t, "merge", sample, "-o", "in/model.safetensors")
		err := errors.Join(os.Mkdir("out", 0o777), os.Mkdir("far", 0o777), os.WriteFile("far/x.safetensors", old, 0o666),
			os.Symlink("../far/x.safetensors", "out/model.safetensors"), os.Symlink("../far/x.safetensors", "out/model.npy"))
		if err != nil {
			t.Fatal(err)
		}
		weigh(t, append(test.args, "--force")...)
		target, err := os.ReadFile("far/x.safetensors")
		link, stays := os.Readlink("out/model.safetensors")
		if err != nil || test.follows != (stays == nil) || test.follows == bytes.Equal(target, old) {
			t.Errorf("weigh %q: link %q, %v; its target is unchanged: %v", test.args, link, stays, bytes.Equal(target, old))
		}
	}
}
