// Locks on files that end with the process.

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"os"
	"syscall"
)

// locks reports whether the system has locks.
const locks = true

// Lock locks a file until it is closed. It returns false if another program has locked
// it, and true on file systems without locks.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
