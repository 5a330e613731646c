// Parts of a file on their way to the disk, on Linux.

//go:build linux && !arm

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// What sync_file_range(2) does with a part, from linux/fs.h.
const (
	waitBefore = 1 // wait for what is being written
	begin      = 2 // begin to write what is not
	waitAfter  = 4 // wait for that
)

// beginWriting has the disk begin with a part. What cannot be begun is met by Sync.
func beginWriting(f *os.File, off, n int64) { _ = syncRange(f, off, n, begin) }

// waitWritten waits until a part is written. A file system that knows nothing of
// parts writes all at the end.
func waitWritten(f *os.File, off, n int64) error {
	err := syncRange(f, off, n, waitBefore|begin|waitAfter)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ESPIPE) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

func syncRange(f *os.File, off, n int64, flags int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) {
		for {
			if err = syscall.SyncFileRange(int(fd), off, n, flags); err != syscall.EINTR {
				return
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		err = &os.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
	return err
}
