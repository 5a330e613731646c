// Write-back of parts of a file on Linux.

//go:build linux && !arm

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Flags of sync_file_range(2), from linux/fs.h.
const (
	waitBefore = 1 // wait for write-back in progress
	begin      = 2 // start write-back of dirty pages
	waitAfter  = 4 // wait for it
)

// beginWriting starts the write-back of a part. Errors are ignored, because Sync returns them.
func beginWriting(f *os.File, off, n int64) { _ = syncRange(f, off, n, begin) }

// waitWritten waits until a part is written. On file systems without support for parts it does
// nothing.
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
