// The mapping of one file, and copying out of it without fear of faults.

// Package mmap maps a file into memory, read-only, where the system can.
//
// A mapping is a loan. If another process cuts the file short, touching a page
// that is gone is a fault, and a fault ends a Go program. [Mapping.ReadAt]
// copies under guard and returns an error instead. [Mapping.Bytes] copies
// nothing and cannot guard anything: it is for files that nobody will change.
//
// Where a file cannot be mapped, the error wraps [errors.ErrUnsupported], and
// the caller reads at offsets instead.
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

// A Mapping is the first bytes of a file, seen as memory. Its methods may be
// called by several goroutines at once; Close waits for copies in progress.
type Mapping struct {
	file *os.File // asked for its size after each copy; never closed here
	size int64

	// mu is held for reading while data is touched and for writing while it is
	// unmapped: a copy never runs into memory that Close has given back.
	mu   sync.RWMutex
	data []byte // nil once closed; empty but not nil for size 0
}

// Map maps the first size bytes of f, which must hold that many. f stays the
// caller's, and must stay open until the Mapping is closed: it is asked for its
// size whenever bytes are read.
//
// The error wraps [errors.ErrUnsupported] if the system has no mappings, or if
// size does not fit an int, as past 2 GiB on 32-bit machines.
func Map(f *os.File, size int64) (*Mapping, error) {
	m := &Mapping{file: f, size: size, data: []byte{}}
	if size < 0 {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(),
			Err: fmt.Errorf("negative size %d: %w", size, fs.ErrInvalid)}
	}
	if size != int64(int(size)) {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(),
			Err: fmt.Errorf("%d bytes do not fit this machine's addresses: %w", size, errors.ErrUnsupported)}
	}
	// A mapping past the end of a file succeeds on most systems, and faults
	// when it is used. Better to say so here.
	if _, err := m.there(0, size); err != nil {
		return nil, err
	}
	if size == 0 {
		return m, nil // systems refuse to map nothing
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

// ReadsFile returns the file that was mapped, and how much of it: what is copied to
// another file need not come by way of memory.
func (m *Mapping) ReadsFile() (*os.File, int64) { return m.file, m.size }

// ReadAt copies len(p) bytes from offset off, as [io.ReaderAt] says. If the
// file has become shorter since it was mapped, so that some of these bytes are
// no longer there, the error wraps [io.ErrUnexpectedEOF] and names the byte at
// which the file now ends; n counts bytes before it only. After Close the error
// wraps [fs.ErrClosed].
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

	// The size is asked for after the copy, and whether or not there was a
	// fault. The rest of a file's last page reads as zeros without faulting,
	// and zeros that no file holds must not pass for data.
	there, err := m.there(off, int64(want))
	n = min(copied, int(there))
	switch {
	case err != nil:
		return n, err
	case copied < want:
		// Cut and restored in between, or the disk behind it failed.
		return n, m.failed(fmt.Errorf("memory fault at byte %d of %d: %w", off+int64(n), m.size, syscall.EIO))
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// Bytes returns the n bytes at offset off without copying them. They must not
// be written to, nor be used after Close. If the file is cut short by anyone
// while they are in use, touching them ends the program: ask for them only
// where the file is known not to change.
func (m *Mapping) Bytes(off, n int64) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case m.data == nil:
		return nil, m.failed(fs.ErrClosed)
	case off < 0 || n < 0 || off > m.size || n > m.size-off:
		return nil, m.failed(fmt.Errorf("%d bytes at %d do not lie in the %d mapped: %w", n, off, m.size, fs.ErrInvalid))
	}
	// This narrows the risk to what happens after the call.
	if _, err := m.there(off, n); err != nil {
		return nil, err
	}
	return m.data[off : off+n : off+n], nil
}

// Close unmaps the file, once no copy is in progress. Slices that Bytes gave
// must no longer be used. Closing again does nothing.
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

// pieceSize bounds one copy, so that a fault forfeits one piece at most. It is
// the smallest page of the systems Go runs on: the pieces of a read fault at no
// finer grain, and coarser pages are multiples of it.
const pieceSize = 4096

// copyGuarded copies from m.data[off:] to dst, and returns how many bytes are
// certain: those of the pieces before the one that faulted. Of that piece
// nothing is known, since a copy is made in any order.
func (m *Mapping) copyGuarded(dst []byte, off int) (n int) {
	// The setting is this goroutine's own, and is put back before returning.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil && !m.owns(r) {
			panic(r) // not a fault of ours, such as one of the caller's dst
		}
	}()
	end := off + len(dst)
	for off < end {
		// Pieces end at multiples of their size, as pages do: none straddles
		// the end of the pages that are still there.
		next := min(end, off-off%pieceSize+pieceSize)
		n += copy(dst[n:], m.data[off:next])
		off = next
	}
	return n
}

// owns reports whether r, which was recovered, is a fault at an address of the
// mapping.
func (m *Mapping) owns(r any) bool {
	fault, ok := r.(interface {
		runtime.Error
		Addr() uintptr // only of faults under SetPanicOnFault
	})
	if !ok {
		return false
	}
	// Unsafe: the address of data[0] is compared as a number and never turned
	// back into a pointer. The memory is not the collector's, so it cannot move.
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	// The difference wraps round for an address below base, and is then larger
	// than any length.
	return fault.Addr()-base < uintptr(len(m.data))
}

// there returns how many of the n bytes at offset off the file still holds,
// with an error if that is not all.
func (m *Mapping) there(off, n int64) (int64, error) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, err
	}
	if now := info.Size(); now < off+n {
		return max(0, now-off), m.failed(fmt.Errorf("ends at byte %d, of %d expected: %w", now, m.size, io.ErrUnexpectedEOF))
	}
	return n, nil
}

// failed returns err as that of reading the file.
func (m *Mapping) failed(err error) error {
	return &fs.PathError{Op: "read", Path: m.file.Name(), Err: err}
}
