// Locks on files, where the system has some that end with the process.

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package claim

import (
	"os"
	"syscall"
)

// locks says that there are locks.
const locks = true

// Lock locks a file against others that lock it, until it is closed. It returns false
// if somebody has; a file system without locks has nobody.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
