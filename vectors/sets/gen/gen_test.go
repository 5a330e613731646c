// Test of the generator.

package gen

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckedIn(t *testing.T) {
	if *update {
		if err := errors.Join(removeAll(".."), writeAll("..")); err != nil {
			t.Fatal(err)
		}
	}
	fresh := t.TempDir()
	if err := writeAll(fresh); err != nil {
		t.Fatal(err)
	}
	got, want := tree(t, ".."), tree(t, fresh)
	for name, content := range want {
		if !bytes.Equal(got[name], content) {
			t.Errorf("%s is out of date: run go generate ./vectors", name)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("%s is stale: run go generate ./vectors", name)
		}
	}
}

// tree returns the files of the vectors below root: those in a folder of a folder.
func tree(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(root, path)
		if err != nil || relErr != nil || d.IsDir() || filepath.Dir(filepath.Dir(name)) == "." {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
