package shards_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

// A link that leads out of the folder is followed only to where all weights are: another file with the name of weights
// may be a link, too.
func TestCompanionsBehindLinks(t *testing.T) {
	root := t.TempDir()
	write := func(name string) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	found := func(folder string) *shards.Companions {
		t.Helper()
		c, err := shards.FindCompanions(t.Context(), store.Dir(root), folder, func(name string) string { return name }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	write("secret/key")
	write("secret/hosts")
	write("m/model.safetensors")
	link("../secret/hosts", "m/x.bin")
	link("../secret/key", "m/README.md")
	if c := found("m"); len(c.Files) > 0 || !slices.Equal(c.Others, []string{"m/README.md"}) {
		t.Errorf("found %q, and others %q", names(c), c.Others)
	}
	write("blobs/1")
	write("blobs/2")
	link("../blobs/1", "s/model.safetensors")
	link("../blobs/2", "s/config.json")
	c := found("s")
	if !slices.Equal(names(c), []string{"config.json"}) {
		t.Fatalf("found %q", names(c))
	}
	// What is not a file is not replaced, and no link is followed to write.
	for _, overwrite := range []bool{false, true} {
		out := t.TempDir()
		if err := os.Symlink("../away", filepath.Join(out, "config.json")); err != nil {
			t.Skip(err)
		}
		if err := c.Check(t.Context(), out, overwrite); err == nil {
			t.Errorf("overwrite %v: a link is accepted", overwrite)
		}
	}
}
