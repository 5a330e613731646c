// Mapping a file, and safe copying from the mapping.

// Package mmap maps files into memory, read-only.
//
// If another process truncates a mapped file, accessing a missing page causes a fault, which
// crashes a Go program. [Mapping.ReadAt] copies from the mapping, recovers from faults, and
// returns an error. [Mapping.Bytes] does not copy and cannot recover, so it is only suitable for
// files that do not change.
//
// If files cannot be mapped, the error wraps [errors.ErrUnsupported], and the caller can read at
// offsets instead.
package mmap

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"unsafe"
)

// A Mapping is the first bytes of a file, mapped into memory. It is safe for concurrent use;
// Close waits for copies in progress.
type Mapping struct {
	file *os.File // for its size after each copy; not closed by Mapping
	size int64

	// mu is held for reading while data is accessed, and for writing while it is unmapped,
	// so no copy accesses unmapped memory.
	mu   sync.RWMutex
	data []byte // nil after Close; empty but not nil for size 0
}

// Map maps the first size bytes of f, which must have at least that size. The caller keeps f open
// until the Mapping is closed, because reads check its size.
//
// The error wraps [errors.ErrUnsupported] if the system does not support mappings, or if size does
// not fit into an int, for example above 2 GiB on 32-bit machines.
func Map(f *os.File, size int64) (*Mapping, error) {
	m := &Mapping{file: f, size: size, data: []byte{}}
	if size < 0 {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(),
			Err: fmt.Errorf("negative size %d: %w", size, fs.ErrInvalid)}
	}
	if size != int64(int(size)) {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(),
			Err: fmt.Errorf("%d bytes exceed the address space: %w", size, errors.ErrUnsupported)}
	}
	// Most systems allow mappings beyond the end of a file, and cause a fault on access.
	if _, err := m.there(0, size); err != nil {
		return nil, err
	}
	if size == 0 {
		return m, nil // systems reject empty mappings
	}
	data, err := mapFile(f, int(size))
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	m.data = data
	return m, nil
}

// Size returns the number of bytes that were mapped.
func (m *Mapping) Size() int64 { return m.size }

// ReadsFile returns the mapped file and the size of the mapping, which allows the operating system
// to copy bytes to another file.
func (m *Mapping) ReadsFile() (*os.File, int64) { return m.file, m.size }

// ReadAt implements [io.ReaderAt]. If the file was truncated and some of the bytes are missing, the
// error wraps [io.ErrUnexpectedEOF] and contains the new end of the file, and n counts only bytes
// before it. After Close the error wraps [fs.ErrClosed].
func (m *Mapping) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, m.failed(fmt.Errorf("negative offset %d: %w", off, fs.ErrInvalid))
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case m.data == nil:
		return 0, m.failed(fs.ErrClosed)
	case len(p) == 0:
		return 0, nil
	case off >= m.size:
		return 0, io.EOF
	}
	want := min(len(p), len(m.data[off:]))
	copied := m.copyGuarded(p[:want], int(off))

	// Check the size after the copy, even without a fault. The rest of the last page of a
	// file reads as zeros without a fault, and those zeros are not data.
	there, err := m.there(off, int64(want))
	n = min(copied, int(there))
	switch {
	case err != nil:
		return n, err
	case copied < want:
		// The file was truncated and restored in between, or the disk failed.
		return n, m.failed(fmt.Errorf("memory fault at byte %d of %d: %w", off+int64(n), m.size, syscall.EIO))
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// Bytes returns the n bytes at offset off without copying them. Callers must not modify them or use
// them after Close. If the file is truncated, accessing them crashes the program, so use Bytes only
// for files that do not change.
func (m *Mapping) Bytes(off, n int64) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case m.data == nil:
		return nil, m.failed(fs.ErrClosed)
	case off < 0 || n < 0 || off > m.size || n > m.size-off:
		return nil, m.failed(fmt.Errorf("%d bytes at %d exceed the mapping of %d bytes: %w",
			n, off, m.size, fs.ErrInvalid))
	}
	// At least the file is complete at this time.
	if _, err := m.there(off, n); err != nil {
		return nil, err
	}
	return m.data[off : off+n : off+n], nil
}

// Close waits for copies in progress and unmaps the file. Slices from Bytes must not be used
// afterwards. Closing again does nothing.
func (m *Mapping) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	data := m.data
	m.data = nil
	if len(data) == 0 {
		return nil
	}
	if err := unmapFile(data); err != nil {
		return &fs.PathError{Op: "munmap", Path: m.file.Name(), Err: err}
	}
	return nil
}

// pieceSize is the maximum size of one copy, so a fault loses at most one piece. It is the smallest
// page size of all systems that Go supports; other page sizes are multiples of it.
const pieceSize = 4096

// copyGuarded copies from m.data[off:] to dst. After a fault it returns the number of bytes before
// the piece that caused it. The content of that piece is undefined, because a copy has no defined
// order.
func (m *Mapping) copyGuarded(dst []byte, off int) (n int) {
	// The setting applies to this goroutine and is restored at the end.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil && !m.owns(r) {
			panic(r) // not a fault of the mapping; perhaps one of dst
		}
	}()
	end := off + len(dst)
	for off < end {
		// Pieces are aligned like pages, so each one is either present or missing.
		next := min(end, off-off%pieceSize+pieceSize)
		n += copy(dst[n:], m.data[off:next])
		off = next
	}
	return n
}

// owns reports whether the recovered value r is a fault at an address of the mapping.
func (m *Mapping) owns(r any) bool {
	fault, ok := r.(interface {
		runtime.Error
		Addr() uintptr // only of faults under SetPanicOnFault
	})
	if !ok {
		return false
	}
	// Unsafe: the address of data[0] is used as a number and not converted back to a pointer.
	// The memory is not managed by Go and does not move.
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	// For an address below base, the difference wraps around and exceeds any length.
	return fault.Addr()-base < uintptr(len(m.data))
}

// there returns how many of the n bytes at offset off the file still contains, and an error if some
// are missing.
func (m *Mapping) there(off, n int64) (int64, error) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, err
	}
	if now := info.Size(); now < off+n {
		return max(0, now-off), m.failed(fmt.Errorf("ends at byte %d, of %d expected: %w",
			now, m.size, io.ErrUnexpectedEOF))
	}
	return n, nil
}

// failed wraps an error of reading the file.
func (m *Mapping) failed(err error) error {
	return &fs.PathError{Op: "read", Path: m.file.Name(), Err: err}
}
