// Every vector through this door: what is refused stays as it was, and what is not
// comes out sound, with the bytes that it had.

package edit_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/vectors"
)

func TestVectors(t *testing.T) {
	for v := range vectors.All() {
		if v.Limit != "" {
			continue // which is the caller's, and none here
		}
		t.Run(v.Name, func(t *testing.T) {
			fixed := v.Expect != vectors.Refuse || edit.Mends(safetensors.Rule(v.Rule))
			checkVector(t, v, setting("added", "x"), v.Expect == vectors.Accept)
			checkVector(t, v, &edit.Edit{Set: map[string]string{"added": "x"}, Lenient: true}, v.Expect != vectors.Refuse)
			checkVector(t, v, &edit.Edit{Fix: true}, fixed)
		})
	}
}

func checkVector(t *testing.T, v *vectors.Vector, e *edit.Edit, ok bool) {
	t.Helper()
	src := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(src, v.File, 0o666); err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	os.Chtimes(src, hourAgo, hourAgo) // an edit waits for a file that was just written
	_, err := e.InPlace(t.Context(), src)
	if (err == nil) != ok {
		t.Errorf("fix %t, lenient %t: error %v", e.Fix, e.Lenient, err)
	}
	if err != nil {
		var violation *safetensors.Violation
		if now, read := os.ReadFile(src); read != nil || !bytes.Equal(now, v.File) || !errors.As(err, &violation) {
			t.Errorf("fix %t, lenient %t: the file has changed, or the error is %v", e.Fix, e.Lenient, err)
		}
		return
	}
	report, err := safetensors.Validate(bytes.NewReader(v.File), int64(len(v.File)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(src)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Header.Tensors) != len(report.Header.Tensors) {
		t.Errorf("there are %d tensors, and there were %d", len(f.Header.Tensors), len(report.Header.Tensors))
	}
	for i := range report.Header.Tensors {
		was := &report.Header.Tensors[i]
		at := report.Header.FileSpan(was)
		now, err := f.Tensor(was.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if b, err := now.Bytes(); err != nil || !bytes.Equal(b, v.File[at.Begin:at.End]) || now.Dtype != was.Dtype || now.ShapeString() != was.ShapeString() {
			t.Errorf("tensor %q is another: %v", was.Name, err)
		}
	}
}

func TestSetVectors(t *testing.T) {
	heads, err := filepath.Glob("../vectors/sets/*/*/vector.txt")
	if err != nil || len(heads) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, head := range heads {
		for _, e := range []*edit.Edit{setting("added", "x"), {Fix: true}, {Drop: []edit.Pattern{exact("a")}}} {
			checkSetVector(t, filepath.Dir(head), e)
		}
	}
}

func checkSetVector(t *testing.T, original string, e *edit.Edit) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "vector.txt")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if _, err := e.InPlace(t.Context(), dir); err != nil {
		after := tree(t, dir)
		if len(before) != len(after) {
			t.Errorf("%s: refused, and there are %d files of %d", original, len(after), len(before))
		}
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s: refused, and %s has changed", original, name)
			}
		}
		return
	}
	if again, err := e.InPlace(t.Context(), dir); err == nil && e.Drop == nil {
		for _, f := range again.Files {
			if f.Action != edit.Unchanged {
				t.Errorf("%s: once more, %s is %s", original, f.Path, f.Action)
			}
		}
	} else if e.Drop == nil {
		t.Errorf("%s: once more: %v", original, err)
	}
}

// tree returns what the files of a folder and those below it hold, by name.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
