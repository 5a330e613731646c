// Targets: where an edit goes, and that it never goes over its source.

package edit_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

func TestTargetsOfOneFile(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ source, target, want string }{
		{src, "new.safetensors", "new.safetensors"},
		{src, "new", "new/model.safetensors"},
		{src, "far/away.safetensors", "far/away.safetensors"},
		{src, "folder", "folder/model.safetensors"},
		{src, "other" + string(os.PathSeparator), "other/model.safetensors"},
		{filepath.Dir(src), "made", "made/model.safetensors"},
		{filepath.Dir(src), "of-folder.safetensors", "of-folder.safetensors"},
	} {
		target := dir + string(os.PathSeparator) + test.target
		r, err := setting("a", "b").Write(t.Context(), test.source, target)
		if err != nil {
			t.Errorf("%s to %s: %v", test.source, test.target, err)
			continue
		}
		want := filepath.Join(dir, filepath.FromSlash(test.want))
		if parse(t, want).metadata["a"] != "b" || r.Files[0].Path != filepath.ToSlash(want) || r.Target != filepath.ToSlash(target) {
			t.Errorf("%s to %s: the receipt has %q in %q", test.source, test.target, r.Files[0].Path, r.Target)
		}
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	src, set := write(t, safetensors.Encoder{}, model()...), sharded(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		source, target string
		want           error
	}{
		{src, "", edit.ErrRefused},
		{src, "-", edit.ErrRefused},
		{src, filepath.Join(dir, "file"), edit.ErrRefused},
		{set, filepath.Join(dir, "new.safetensors"), edit.ErrRefused},
		{set, filepath.Join(dir, indexName), edit.ErrRefused},
		{set, filepath.Join(dir, "file"), edit.ErrRefused},
	} {
		if _, err := setting("a", "b").Write(t.Context(), test.source, test.target); !errors.Is(err, test.want) {
			t.Errorf("to %q: %v, want %v", test.target, err, test.want)
		}
	}
	onlyHas(t, dir, "file")
}

// A source has many names. By none of them is it a target, forced or not.
func TestSourceIsNoTarget(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	dir := filepath.Dir(src)
	t.Chdir(dir)
	targets := []string{src, "model.safetensors", "./model.safetensors", dir, ".", dir + string(os.PathSeparator) + "." + string(os.PathSeparator) + "model.safetensors"}
	elsewhere := t.TempDir()
	if err := os.Link(src, filepath.Join(elsewhere, "hard.safetensors")); err == nil {
		targets = append(targets, filepath.Join(elsewhere, "hard.safetensors"))
	}
	for link, to := range map[string]string{"soft.safetensors": src, "folder": dir} {
		if err := os.Symlink(to, filepath.Join(elsewhere, link)); err == nil {
			targets = append(targets, filepath.Join(elsewhere, link))
		}
	}
	for _, target := range targets {
		for _, source := range []string{src, dir} {
			e := setting("a", "b")
			e.Overwrite = true
			if _, err := e.Write(t.Context(), source, target); !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), "is an input") {
				t.Errorf("%s to %s: %v", source, target, err)
			}
		}
	}
	if p := parse(t, src); p.metadata != nil {
		t.Errorf("the source has %q", p.text)
	}
	// Of a set, no file may be a target, and the index may not.
	set := sharded(t)
	for _, name := range append(threeShards, indexName) {
		other := t.TempDir()
		if err := os.Link(filepath.Join(set, name), filepath.Join(other, name)); err != nil {
			t.Skip(err)
		}
		e := setting("a", "b")
		e.Overwrite = true
		if _, err := e.Write(t.Context(), set, other); !errors.Is(err, edit.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		onlyHas(t, other, name)
	}
}

func TestTargetsThatAreThere(t *testing.T) {
	for _, source := range []string{write(t, safetensors.Encoder{}, model()...), sharded(t)} {
		name := filepath.Base(source)
		if !strings.HasSuffix(name, ".safetensors") {
			name = indexName
		}
		dir := t.TempDir()
		old := filepath.Join(dir, name)
		if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := setting("a", "b").Write(t.Context(), source, dir); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(old); err != nil || string(b) != "old" {
			t.Errorf("%s is %q, %v", name, b, err)
		}
		e := setting("a", "b")
		e.Overwrite = true
		if _, err := e.Write(t.Context(), source, dir); err != nil {
			t.Errorf("%s, by force: %v", name, err)
		}
		if b, err := os.ReadFile(old); err != nil || string(b) == "old" {
			t.Errorf("%s is %q, %v", name, b, err)
		}
	}
}

// Shards of another set would pass for some of the new one, and a file of its name for all.
func TestTargetsWithStrays(t *testing.T) {
	src := sharded(t)
	for stray, refused := range map[string]bool{
		"model-00004-of-00004.safetensors": true, "model-00001-of-00002.safetensors": true,
		"other-00001-of-00002.safetensors": false, "model.safetensors": true, "adapter_model.safetensors": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, stray), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		e := setting("a", "b")
		e.Overwrite = true
		if _, err := e.Write(t.Context(), src, dir); errors.Is(err, edit.ErrRefused) != refused || err != nil && !strings.Contains(err.Error(), stray) {
			t.Errorf("beside %s: %v", stray, err)
		}
	}
}

// What comes up while the edit is written is not overwritten either.
func TestTargetThatComesUp(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	target := filepath.Join(t.TempDir(), "new.safetensors")
	e := setting("a", "b")
	e.Progress = func(done, total int64) { os.WriteFile(target, []byte("somebody's"), 0o666) }
	if _, err := e.Write(t.Context(), src, target); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(target); err != nil || string(b) != "somebody's" {
		t.Errorf("the target is %q, %v", b, err)
	}
	onlyHas(t, filepath.Dir(target), "new.safetensors")
}

// Beside a model in shards, none is written of which the file has the name that the shards
// have in common: readers differ on which they take.
func TestTargetWithAnotherModel(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	for _, rival := range []string{"model.safetensors.index.json", "other.safetensors.index.json"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, rival), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
		e := setting("a", "b")
		e.Overwrite = true
		_, err := e.Write(t.Context(), src, filepath.Join(dir, "model.safetensors"))
		if refused := errors.Is(err, edit.ErrRefused); refused != strings.HasPrefix(rival, "model") {
			t.Errorf("beside %s: %v", rival, err)
		}
	}
}
