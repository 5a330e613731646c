// Names that have become those of pipes, which to open might take forever.

//go:build unix

package filecopy

import (
	"os"
	"syscall"
	"testing"
)

func TestNameOfAPipe(t *testing.T) {
	f := source(t, counted(100))
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(f.Name(), 0o666); err != nil {
		t.Skip(err)
	}
	if s := Open(f); s != nil {
		t.Error("the pipe was opened")
	}
}
