// Locks on files that end with the process.

package atomicfile

import (
	"errors"
	"os"

	"github.com/weightools/safetensors/internal/flock"
)

// Lock locks a file until it is closed. It returns false if another program has locked
// it, and true on file systems without locks.
func Lock(f *os.File) bool { return !errors.Is(flock.Try(f), flock.ErrHeld) }
