// Mapping on Unix systems.

//go:build unix

package mmap

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of f, where size is more than 0.
func mapFile(f *os.File, size int) ([]byte, error) {
	// SyscallConn rather than Fd: it keeps f from being closed, and its number
	// from being taken by another file, until the call has returned.
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var data []byte
	var mapErr error
	err = conn.Control(func(fd uintptr) {
		// Shared, though nothing is written: a private mapping may be charged
		// against memory limits as if it would be.
		data, mapErr = syscall.Mmap(int(fd), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	})
	if err != nil {
		return nil, err
	}
	return data, mapErr
}

// unmapFile gives back what mapFile returned. It must be that very slice.
func unmapFile(data []byte) error { return syscall.Munmap(data) }
