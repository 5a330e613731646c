// File locks, on systems whose locks end with the process.

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package claim

import (
	"os"
	"syscall"
)

// locks reports that this system has locks.
const locks = true

// Lock locks a file until it is closed. It returns false if another process holds the
// lock; on a file system without locks it returns true.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
