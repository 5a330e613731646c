// Locks of LockFileEx.

package flock

import (
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// Flags and errors of LockFileEx, from the Windows SDK.
const (
	failImmediately    = 1
	exclusive          = 2
	errorLockViolation = syscall.Errno(33)
	beyond             = 1 << 30 // the upper half of an offset
)

// Try locks a file until it is closed. It returns [ErrHeld] if another holder has locked it, in this
// process or in another, and other errors on file systems without locks.
//
// Others cannot read or write locked bytes, so Try locks a byte that no file has.
func Try(f *os.File) error { return try(f, beyond) }

// TryStart is like [Try], but locks the first byte, as Python's filelock does.
func TryStart(f *os.File) error { return try(f, 0) }

// try locks the first byte of a part of the file, whose offset has this upper half.
func try(f *os.File, high uint32) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) {
		at := &syscall.Overlapped{OffsetHigh: high}
		ok, _, errno := lockFileEx.Call(fd, exclusive|failImmediately, 0, 1, 0, uintptr(unsafe.Pointer(at)))
		if ok == 0 {
			err = errno
		}
	})
	switch {
	case failed != nil:
		return failed
	case err == errorLockViolation, err == syscall.ERROR_IO_PENDING:
		return ErrHeld
	}
	return err
}
