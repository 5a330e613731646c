// Mapping on Windows.

package mmap

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile maps the first size bytes of f, where size is more than 0.
func mapFile(f *os.File, size int) ([]byte, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var addr uintptr
	var mapErr error
	err = conn.Control(func(fd uintptr) {
		addr, mapErr = mapView(syscall.Handle(fd), size)
	})
	if err != nil {
		return nil, err
	}
	if mapErr != nil {
		return nil, mapErr
	}
	// Unsafe: addr is the start of a view of size bytes, outside of Go's heap,
	// which stays where it is until unmapFile. It is read as a pointer in place
	// because it never was one: vet objects to converting it, rightly for
	// addresses of Go's own memory.
	base := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(base), size), nil
}

// mapView returns the address of a view of the first size bytes of file.
func mapView(file syscall.Handle, size int) (uintptr, error) {
	n := uint64(size)
	section, err := syscall.CreateFileMapping(file, nil, syscall.PAGE_READONLY, uint32(n>>32), uint32(n), nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateFileMapping", err)
	}
	// The view keeps the section alive, and the handle is of no more use.
	defer syscall.CloseHandle(section)
	addr, err := syscall.MapViewOfFile(section, syscall.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return 0, os.NewSyscallError("MapViewOfFile", err)
	}
	return addr, nil
}

// unmapFile gives back what mapFile returned.
func unmapFile(data []byte) error {
	// Unsafe: the address is passed as a number to the system, whose memory it
	// is. Nothing holds on to data: Close has dropped it.
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return os.NewSyscallError("UnmapViewOfFile", syscall.UnmapViewOfFile(addr))
}
