// Locks of two holders in one process, and names of open files.

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

func TestIsAt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !IsAt(f, name) {
		t.Error("a new file is not at its name")
	}
	if err := os.Remove(name); err != nil {
		t.Skip(err) // Windows does not remove open files
	}
	if IsAt(f, name) {
		t.Error("a removed file is still at its name")
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if IsAt(f, name) {
		t.Error("a removed file is at the name of another file")
	}
}
