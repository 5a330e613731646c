// Locks as huggingface_hub takes them.

package hubcache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/weightools/safetensors/internal/flock"
)

// lock locks the named file, which stays: Python's filelock, which huggingface_hub uses, locks it with flock, and on
// Windows its first byte. Busy is called once if another process holds the lock. On file systems without locks, lock
// does nothing: blobs are complete when they get their names, so two processes only download one twice.
func lock(ctx context.Context, name string, busy func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	for ; ; busy = nil {
		f, err := openLock(name)
		if err != nil {
			return nil, err
		}
		err = flock.TryStart(f)
		if errors.Is(err, flock.ErrHeld) {
			f.Close()
			if busy != nil {
				busy()
			}
			select {
			case <-time.After(50 * time.Millisecond): // as often as filelock
			case <-ctx.Done():
				return nil, fmt.Errorf("waiting for the lock %q: %w", name, context.Cause(ctx))
			}
			continue
		}
		if err == nil && !flock.IsAt(f, name) {
			f.Close() // removed meanwhile, so others lock another file
			continue
		}
		return func() { f.Close() }, nil
	}
}

// openLock opens a file to be locked. Members of the owner's group may share the cache.
func openLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o664)
	if err == nil {
		_ = f.Chmod(0o664) // whatever the umask is, as huggingface_hub does
		return f, nil
	}
	if info, failed := os.Lstat(name); failed == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the lock %q is not a regular file: remove it", name)
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o664)
}
