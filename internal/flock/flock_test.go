// Locks of two holders in one process.

package flock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOneHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Try(first); err != nil {
		t.Skip(err)
	}
	if err := Try(second); !errors.Is(err, ErrHeld) {
		t.Errorf("the second holder: %v", err)
	}
	if _, err := second.WriteAt([]byte("x"), 0); err != nil {
		t.Errorf("a lock should not stop writers that do not ask for it: %v", err)
	}
	first.Close()
	if err := Try(second); err != nil {
		t.Errorf("after the first holder closed the file: %v", err)
	}
}
