// Where there is nothing to open: what the errors say.

package checkpoint_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
)

func TestNoWeights(t *testing.T) {
	for _, test := range []struct {
		f    folder
		says []string
		not  string
	}{
		{folder{"README.md": nil}, []string{"has no weights (*.safetensors), nor"}, "PyTorch"},
		{folder{"pytorch_model.bin": nil, "optimizer.pt": nil}, []string{`"pytorch_model.bin", which is in another format by its name (PyTorch)`, "1 more"}, ""},
		{folder{"llama.Q4_0.gguf": nil}, []string{"GGUF"}, "more"},
	} {
		_, err := checkpoint.New(t.Context(), test.f.store(), "", nil)
		var none *checkpoint.NoWeightsError
		if !errors.As(err, &none) || !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v: %v", test.f, err)
		}
		for _, part := range test.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
		if test.not != "" && strings.Contains(err.Error(), test.not) {
			t.Errorf("%v says %q", err, test.not)
		}
	}
	dir := t.TempDir()
	_, err := checkpoint.Open(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), filepath.Base(dir)) {
		t.Errorf("the error of an empty directory does not name it: %v", err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	for _, ref := range []string{
		filepath.Join(dir, "no"), filepath.Join(dir, "no") + "/", filepath.Join(dir, "no", "model.safetensors"),
		filepath.Join(dir, indexName),
	} {
		_, err := checkpoint.Open(t.Context(), ref, nil)
		var none *checkpoint.NoWeightsError
		if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &none) || !strings.Contains(err.Error(), "no") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, path := range []string{"no", "no/model.safetensors", "no.safetensors.index.json"} {
		if _, err := checkpoint.New(t.Context(), two(t).store(), path, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestNoPermission(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("this user may read everything")
	}
	if _, err := checkpoint.Open(t.Context(), dir, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a locked directory: %v", err)
	}
}

// TestStoreWithoutList: a web server that cannot be listed is asked for the names
// that are usual.
func TestStoreWithoutList(t *testing.T) {
	cp := open(t, &spy{Store: two(t).store()}, "", nil)
	if cp.Set().Name != indexName {
		t.Errorf("opened %s", cp.Set().Name)
	}
	if found := validate(t, cp); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	f := folder{"sub/adapter_model.safetensors": file(t, f32("a", 1))}
	if cp := open(t, &spy{Store: f.store()}, "sub", nil); cp.Set().Name != "sub/adapter_model.safetensors" {
		t.Errorf("opened %s", cp.Set().Name)
	}
	_, err := checkpoint.New(t.Context(), &spy{Store: f.store()}, "", nil)
	var none *checkpoint.NoWeightsError
	if !errors.As(err, &none) || none.Listed || !strings.Contains(err.Error(), "model.safetensors") {
		t.Errorf("nothing of a usual name: %v", err)
	}
	_, err = checkpoint.New(t.Context(), &spy{Store: f.store()}, "x.safetensors", nil)
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &none) {
		t.Errorf("a file that is not there: %v", err)
	}
	failed := errors.New("503")
	s := &spy{Store: f.store(), fail: func(context.Context, string) error { return failed }}
	if _, err := checkpoint.New(t.Context(), s, "", nil); !errors.Is(err, failed) {
		t.Errorf("a server that fails: %v", err)
	}
}
