// Locks on files and folders. A locked hidden file has a running owner.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/weightools/safetensors/internal/flock"
)

// ErrLocked means that another program holds a file.
var ErrLocked = errors.New("another process is editing it")

// tryLock locks a file or a folder until it is closed. It returns false if another program holds it. The lock is
// known unless the system or the file system has no locks: then tryLock returns true. Windows has none on folders.
func tryLock(f *os.File) (held, known bool) {
	err := flock.Try(f)
	return !errors.Is(err, flock.ErrHeld), err == nil || errors.Is(err, flock.ErrHeld)
}

// Lock locks a file until it is closed. It returns false if another program has locked
// it, and true on file systems without locks.
func Lock(f *os.File) bool {
	held, _ := tryLock(f)
	return held
}

// A folderLock keeps other processes from renaming files into a folder.
type folderLock struct {
	file  *os.File
	known bool // false if there are no locks
}

// lockFolder locks a folder. It waits for processes that are renaming their files, which takes moments, and returns
// an error that wraps ErrLocked if one of them does not end.
func lockFolder(dir string) (folderLock, error) {
	const most, pause = 10 * time.Second, 5 * time.Millisecond
	f, err := os.Open(dir)
	if err != nil {
		return folderLock{}, nil // a folder that cannot be listed
	}
	for begun := time.Now(); ; time.Sleep(pause) {
		held, known := tryLock(f)
		if held {
			return folderLock{f, known}, nil
		}
		if time.Since(begun) > most {
			f.Close()
			return folderLock{}, &fs.PathError{Op: "lock", Path: dir, Err: ErrLocked}
		}
	}
}

// IsLive reports whether a process is known to hold the lock on a hidden file or folder, or on a folder whose files it
// is replacing.
func IsLive(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	held, _ := tryLock(f)
	return !held
}

// release releases the lock.
func (l folderLock) release() {
	if l.file != nil {
		l.file.Close()
	}
}

// own locks a hidden file or folder that was just created, to show others that its owner is running. It returns false
// if another process has removed it as a leftover in the meantime.
func own(f *os.File, name string) bool {
	const most, pause = 1000, time.Millisecond // the other removes it in moments
	for range most {
		held, known := tryLock(f)
		if !known {
			return true
		}
		if held {
			break
		}
		time.Sleep(pause)
	}
	return flock.IsAt(f, name)
}
