// Local files that are written completely or not at all.

package store_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors/store"
)

func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, failed := io.WriteString(w, s)
			return errors.Join(failed, err)
		}
	}
	broken := errors.New("broken")
	for _, tt := range []struct {
		overwrite bool
		write     func(io.Writer) error
		err       error
		want      string
	}{
		{false, text("first", broken), broken, ""},
		{false, text("first", nil), nil, "first"},
		{false, text("second", nil), fs.ErrExist, "first"},
		{true, text("second", broken), broken, "first"},
		{true, text("second", nil), nil, "second"},
	} {
		if err := store.WriteFile(name, tt.overwrite, tt.write); !errors.Is(err, tt.err) {
			t.Errorf("error %v, want %v", err, tt.err)
		}
		if b, _ := os.ReadFile(name); string(b) != tt.want {
			t.Errorf("the file has %q, want %q", b, tt.want)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("%d files are left, %v", len(list), err)
	}
}
