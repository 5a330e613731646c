// Locks of flock(2).

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package flock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file until it is closed. It returns [ErrHeld] if another holder has locked it, in this
// process or in another, and other errors on file systems without locks.
func Try(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) {
		for {
			if err = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
				return
			}
		}
	})
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return errors.Join(failed, err)
}

// TryStart is like [Try]. On Windows it locks the first byte of the file, as Python's filelock does.
func TryStart(f *os.File) error { return Try(f) }
