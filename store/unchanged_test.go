// Whether an object has changed since it was opened.

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestUnchanged(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(path string) error{
		"longer":  func(path string) error { return os.WriteFile(path, []byte("12345"), 0o666) },
		"shorter": func(path string) error { return os.Truncate(path, 3) },
		"as long": func(path string) error { return os.WriteFile(path, []byte("4321"), 0o666) },
		"dated":   func(path string) error { return os.Chtimes(path, time.Time{}, old.Add(time.Nanosecond)) },
		"removed": os.Remove,
		"replaced by a file of the same date": func(path string) error {
			other := path + ".new"
			return errors.Join(os.WriteFile(other, []byte("4321"), 0o666), os.Chtimes(other, old, old), os.Rename(other, path))
		},
	} {
		path := filepath.Join(t.TempDir(), "a")
		if err := errors.Join(os.WriteFile(path, []byte("1234"), 0o666), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
		o, err := Dir(filepath.Dir(path)).Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := Unchanged(o); err != nil {
			t.Errorf("%s: %v before the change", name, err)
		}
		o.Close() // Windows does not replace open files
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if err := Unchanged(o); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
