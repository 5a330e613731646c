// Companions: what is carried, and what is left when writing fails.

package shards_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

// names returns the names of companions.
func names(c *shards.Companions) (list []string) {
	for _, one := range c.Files {
		list = append(list, one.Name)
	}
	return list
}

// last returns the last companion, which is config.json.
func last(c *shards.Companions) *shards.Companion { return &c.Files[len(c.Files)-1] }

func find(t *testing.T, files fstest.MapFS, folder string, ours ...string) *shards.Companions {
	t.Helper()
	c, err := shards.FindCompanions(t.Context(), store.FS(files), folder, func(name string) string { return "at/" + name },
		func(name string) bool { return slices.Contains(ours, name) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFindCompanions(t *testing.T) {
	text := func() *fstest.MapFile { return &fstest.MapFile{Data: []byte("{}")} }
	files := fstest.MapFS{
		"config.json": text(), "LICENSE": text(), "notes.txt": text(), ".env": text(), "model.safetensors": text(),
		"old.safetensors.index.json": text(), "additional_chat_templates/a.jinja": text(), "eval/config.json": text(),
		"onnx/config.json": text(), "onnx/model.onnx": text(), ".cache/config.json": text(),
	}
	c := find(t, files, "")
	if got, want := names(c), []string{"LICENSE", "additional_chat_templates/a.jinja", "config.json"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if !slices.Equal(c.Others, []string{"at/notes.txt"}) {
		t.Errorf("others are %q", c.Others)
	}
	// A pipeline has its parts in subfolders, and another format in one of them.
	files = fstest.MapFS{
		"sd/model_index.json": text(), "sd/unet/config.json": text(), "sd/unet/diffusion.safetensors": text(),
		"sd/tokenizer/vocab.json": text(), "sd/onnx/model.onnx": text(), "sd/onnx/tokenizer/vocab.json": text(),
		"other/config.json": text(),
	}
	c = find(t, files, "sd", "sd/unet/diffusion.safetensors")
	if got, want := names(c), []string{"model_index.json", "tokenizer/vocab.json", "unet/config.json"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// forbidden is a file system with a file that the user may not read.
type forbidden struct {
	fstest.MapFS
	name string
}

func (f forbidden) Open(name string) (fs.File, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

// A companion that cannot be read is listed, and the others are found.
func TestUnreadableCompanion(t *testing.T) {
	text := &fstest.MapFile{Data: []byte("{}")}
	files := forbidden{fstest.MapFS{"README.md": text, "config.json": text, "model.safetensors": text}, "README.md"}
	c, err := shards.FindCompanions(t.Context(), store.FS(files), "", func(name string) string { return name }, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md"}
	if got := names(c); !slices.Equal(got, []string{"config.json"}) || !slices.Equal(c.Unreadable, want) ||
		!slices.Equal(c.Others, want) {
		t.Errorf("found %q, unreadable are %q, and others %q", got, c.Unreadable, c.Others)
	}
}

// TestStage: nothing appears before Commit, and after Abort nothing is left, not even the folder.
func TestStage(t *testing.T) {
	files := fstest.MapFS{"config.json": {Data: []byte("{}")}, "a/b/README.md": {Data: []byte("# A")},
		"a/b/x.safetensors": {Data: []byte("x")}}
	c := find(t, files, "", "a/b/x.safetensors")
	dir := filepath.Join(t.TempDir(), "new", "out")
	if err := c.Stage(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "config.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := c.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Abort: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Stage(ctx, dir, false); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after an error of Stage: %v", err)
	}
	if err := errors.Join(c.Stage(t.Context(), dir, false), c.Commit(), c.Abort()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "b", "README.md")); err != nil || string(text) != "# A" {
		t.Errorf("the file has %q, %v", text, err)
	}

	// The same content is kept, and other content is an error.
	if err := errors.Join(c.Stage(t.Context(), dir, false), c.Commit()); err != nil || !last(c).Kept {
		t.Errorf("the second time: %v", err)
	}
	last(c).Kept = false
	last(c).Replace([]byte("[]"))
	if err := c.Stage(t.Context(), dir, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another content: %v", err)
	}
	if err := errors.Join(c.Stage(t.Context(), dir, true), c.Commit()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "config.json")); err != nil || string(text) != "[]" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
