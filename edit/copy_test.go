// Copies of tensors, and repairs that write no weights.

package edit_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/edit"
)

func TestCopy(t *testing.T) {
	src := raw(t, "{"+pt+entryA+","+entryB+"}", "abcdefgh")
	e := &edit.Edit{Copy: []edit.Copy{{From: "a", To: "c"}}}
	r, err := e.InPlace(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, src)
	if string(p.entries["a"].data) != "abcd" || string(p.entries["b"].data) != "efgh" || string(p.entries["c"].data) != "abcd" ||
		len(r.Tensors) != 3 || !r.Tensors[2].Copied || r.Files[0].Tensors != 3 || r.Tensors[2].SHA256 != r.Tensors[0].SHA256 {
		t.Errorf("%s, %+v", p.text, r)
	}
	sound(t, src)
	for _, c := range []edit.Copy{{From: "x", To: "y"}, {From: "a", To: "b"}, {From: "a", To: "__metadata__"}, {From: "a"}} {
		if _, err := (&edit.Edit{Copy: []edit.Copy{c}}).InPlace(t.Context(), src); !errors.Is(err, edit.ErrRefused) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	twice := &edit.Edit{Copy: []edit.Copy{{From: "a", To: "d"}, {From: "b", To: "d"}}}
	if _, err := twice.InPlace(t.Context(), src); !errors.Is(err, edit.ErrRefused) {
		t.Errorf("two copies of one name: %v", err)
	}
}

// A copy in a set is listed in the index.
func TestCopyInASet(t *testing.T) {
	dir := sharded(t)
	if _, err := (&edit.Edit{Copy: []edit.Copy{{From: "head", To: "embedding"}}}).InPlace(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil || !bytes.Contains(text, []byte(`"embedding"`)) {
		t.Errorf("%s, %v", text, err)
	}
	cp, err := checkpoint.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	for r, err := range cp.Validate(t.Context()) {
		if err != nil || r.Err() != nil {
			t.Error(err, r.Err())
		}
	}
}

func TestRepairsOfTheCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	const digest = "0123456789012345678901234567890123456789"
	root := t.TempDir()
	blob := filepath.Join(root, "models--o--m", "blobs", digest)
	snapshot := filepath.Join(root, "models--o--m", "snapshots", "r")
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write(blob, "content")
	write(filepath.Join(snapshot, "text.json"), "../elsewhere/blobs/"+digest)
	write(filepath.Join(snapshot, "unet", "deep.json"), "../elsewhere/blobs/"+digest+"\n")
	if err := os.Symlink("../../../other/blobs/"+digest, filepath.Join(snapshot, "link.json")); err != nil {
		t.Fatal(err)
	}
	// Near misses: a blob that is not there, a link that leads somewhere, a text of two lines, a text about a blob, and
	// the same outside of a snapshot.
	other := strings.Repeat("a", 40)
	write(filepath.Join(snapshot, "gone.json"), "../../blobs/"+other)
	write(filepath.Join(snapshot, "lines.json"), "../blobs/"+digest+"\nx")
	write(filepath.Join(snapshot, "about.json"), "see /tmp/"+digest)
	write(filepath.Join(root, "models--o--m", "refs", "main"), "../blobs/"+digest)
	if err := os.Symlink("../../blobs/"+digest, filepath.Join(snapshot, "sound.json")); err != nil {
		t.Fatal(err)
	}
	repairs, err := edit.Repairs(root)
	if err != nil || len(repairs) != 3 {
		t.Fatalf("%v, %v", repairs, err)
	}
	for i := range repairs {
		if err := repairs[i].Apply(); err != nil || repairs[i].Rule != checkpoint.RuleCacheLink {
			t.Errorf("%v: %v", repairs[i].Fault, err)
		}
	}
	for _, name := range []string{"text.json", "unet/deep.json", "link.json"} {
		text, err := os.ReadFile(filepath.Join(snapshot, name))
		to, _ := os.Readlink(filepath.Join(snapshot, name))
		if err != nil || string(text) != "content" || filepath.IsAbs(to) {
			t.Errorf("%s: %q, %q, %v", name, text, to, err)
		}
	}
	if repairs, err := edit.Repairs(root); err != nil || len(repairs) != 0 {
		t.Errorf("again: %v, %v", repairs, err)
	}
}

func TestRepairsOfModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for _, test := range []struct{ weights, config, want os.FileMode }{
		{0o600, 0o644, 0o644}, {0o640, 0o644, 0o644}, {0o600, 0o640, 0o640},
		{0o600, 0o600, 0o600}, {0o644, 0o600, 0o644}, {0o444, 0o644, 0o444},
	} {
		dir := t.TempDir()
		model, config := filepath.Join(dir, "model.safetensors"), filepath.Join(dir, "config.json")
		for name, mode := range map[string]os.FileMode{model: test.weights, config: test.config} {
			if err := errors.Join(os.WriteFile(name, []byte("x"), 0o666), os.Chmod(name, mode)); err != nil {
				t.Fatal(err)
			}
		}
		for _, ref := range []string{model, dir} {
			repairs, err := edit.Repairs(ref)
			if is := stat(t, model).Mode().Perm(); err != nil || (len(repairs) > 0) != (test.want != is) {
				t.Errorf("%s, %o beside %o: %v, %v", ref, is, test.config, repairs, err)
			}
			for i := range repairs {
				if err := repairs[i].Apply(); err != nil {
					t.Error(err)
				}
			}
			if mode := stat(t, model).Mode().Perm(); mode != test.want {
				t.Errorf("%o beside %o becomes %o", test.weights, test.config, mode)
			}
		}
	}
}
