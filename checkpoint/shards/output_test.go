// Names of outputs: folders, files, and neither.

package shards_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint/shards"
)

func TestFindOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("folder", 0o777), os.WriteFile("file", nil, 0o666), os.WriteFile("x.safetensors", nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		one  bool
		want string // the folder and the file, or a part of the error
		is   error
	}{
		{"folder", true, "folder|", nil},
		{"folder/", true, "folder/|", nil},
		{"folder", false, "folder|", nil},
		{"new/", true, "new/|", nil},
		{"new.safetensors/", true, "new.safetensors/|", nil},
		{"new", false, "new|", nil},
		{"new", true, "new|", nil},
		{"a/b/new", true, "a/b/new|", nil},
		{"new.safetensors", true, ".|new.safetensors", nil},
		{"folder/x.safetensors", true, "folder/|x.safetensors", nil},
		{"x.safetensors", true, ".|x.safetensors", nil},
		{"none/x.safetensors", true, "none/|x.safetensors", nil},
		{"new.safetensors", false, "is a file, and there are 2 files to write: name a folder", shards.ErrRefused},
		{"new.safetensors.index.json", false, "is a file", shards.ErrRefused},
		{"x.safetensors", false, "is a file", shards.ErrRefused},
		{"new.bin", true, "does not end in \".safetensors\"", shards.ErrRefused},
		{"new.gguf", false, "is a file", shards.ErrRefused},
		{"llama-3.1", true, "llama-3.1|", nil},
		{"x.safetensors/", true, "is a file, not a folder", shards.ErrRefused},
		{"file/", false, "is a file, not a folder", shards.ErrRefused},
		{"file", false, "is a file", shards.ErrRefused},
		{"file", true, "does not end in \".safetensors\"", shards.ErrRefused},
		{"", true, "neither a file nor a folder", shards.ErrRefused},
		{"-", true, "neither a file nor a folder", shards.ErrRefused},
	} {
		ext := ""
		if test.one {
			ext = ".safetensors"
		}
		out, err := shards.FindOutput(filepath.FromSlash(test.name), ext, "2 files to write")
		got := filepath.ToSlash(out.Dir) + "|" + out.File
		if err != nil {
			got = filepath.ToSlash(err.Error())
		}
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) || !strings.Contains(got, test.want) {
			t.Errorf("%q, one %v: %s, want %s", test.name, test.one, got, test.want)
		}
	}
}

// TestFindOutputFollowsLinks: the link stays, and a file that is named after its content is not replaced.
func TestFindOutputFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "x.safetensors")
	for target, want := range map[string]string{
		"far/y.safetensors": filepath.Join(dir, "far") + string(os.PathSeparator) + "|y.safetensors",
		"blobs/0123":        "may be part of a cache",
	} {
		os.Remove(link)
		if err := os.Symlink(filepath.FromSlash(target), link); err != nil {
			t.Skip(err)
		}
		out, err := shards.FindOutput(link, ".safetensors", "1 file to write")
		got := out.Dir + "|" + out.File
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("a link to %s: %s, want %s", target, got, want)
		}
	}
}

func TestRival(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.safetensors.index.json", "b.safetensors"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ files, rival, file string }{
		{"a.safetensors", "a.safetensors.index.json", "a.safetensors"},
		{"c.safetensors b.safetensors.index.json", "b.safetensors", "b.safetensors.index.json"},
		{"a.safetensors a.safetensors.index.json", "", ""}, // which are written together
		{"c.safetensors", "", ""},
	} {
		rival, file := shards.Rival(dir, strings.Fields(test.files))
		if rival != test.rival || file != test.file {
			t.Errorf("%s: %q is the rival of %q, want %q of %q", test.files, rival, file, test.rival, test.file)
		}
	}
}
