// Opening files without waiting for data.

//go:build unix

package store

import "syscall"

// noWait makes reads of an opened file fail if they would wait, as those of some files of /proc do.
const noWait = syscall.O_NONBLOCK
