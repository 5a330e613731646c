// Files that are no files: what only Unix has.

//go:build unix

package safetensors_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/weightools/safetensors"
)

// TestOpenOfAPipe checks that a named pipe without a writer is refused at once.
// To open it would be to wait for one.
func TestOpenOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "model.safetensors")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		for _, name := range []string{pipe, os.DevNull} {
			_, err := o.Open(name)
			var path *fs.PathError
			if !errors.As(err, &path) || path.Path != name {
				t.Errorf("%s: %T %v, want a *fs.PathError", name, err, err)
			}
			var v *safetensors.Violation
			if errors.As(err, &v) {
				t.Errorf("%s: %v finds fault with a file, and there is none", name, err)
			}
		}
	})
}
