// Copying ranges between files with the operating system.

// Package filecopy copies ranges of files to other files with the operating system.
//
// The operating system copies at full speed. File systems that can share blocks copy nothing,
// and network file systems copy on the server. The caller has to read and write the bytes that
// the system does not copy:
//
//	if dst := filecopy.To(w); dst != nil {
//		n, err = dst.CopyFile(src, off, size) // n < size: the rest is to be read
//	}
package filecopy

import (
	"io"
	"os"
	"runtime"
)

// bySystem reports whether the operating system can copy between files. On other systems package
// os would use a smaller buffer than the caller.
const bySystem = runtime.GOOS == "linux" || runtime.GOOS == "freebsd"

// A Placed reader reads from a file. A type that changes bytes must not have the method; its name
// is unusual so that no type has it by accident.
type Placed interface {
	// ReadsFile returns the file, which has the reader's bytes at the same offsets, up to size.
	// f may be nil.
	ReadsFile() (f *os.File, size int64)
}

// A Target is a writer to which parts of files can be copied.
type Target interface {
	io.Writer

	// CopyFile appends n bytes of src from off on, and returns how many the system has
	// copied. Fewer than n, or none, are not an error: the caller reads the rest and finds
	// the reason. An error is usually one of writing.
	CopyFile(src *Source, off, n int64) (int64, error)
}

// To returns w as a Target, or nil if it is not a file.
func To(w io.Writer) Target {
	switch w := w.(type) {
	case *os.File:
		return File{w}
	case Target:
		return w
	}
	return nil
}

// A File is a file as a Target.
type File struct{ *os.File }

// CopyFile implements [Target].
func (f File) CopyFile(src *Source, off, n int64) (int64, error) {
	if _, err := src.file.Seek(off, io.SeekStart); err != nil {
		return 0, nil
	}
	return f.ReadFrom(io.LimitReader(src.file, n))
}

// A Source is a file that was opened a second time. The system copies from the position of a
// file, and the position of the original must not change. A Source must be used by one goroutine.
type Source struct {
	file *os.File
	away bool // it is on a network file system, which copies on the server
}

// Open opens the file of f a second time. It returns nil if the system cannot copy, or if the
// name of f now refers to another file.
func Open(f *os.File) *Source {
	if !bySystem {
		return nil
	}
	is, err := f.Stat()
	if err != nil {
		return nil
	}
	// Check this before opening, because opening a pipe may block.
	if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(is, now) {
		return nil
	}
	own, err := os.Open(f.Name())
	if err != nil {
		return nil
	}
	if now, err := own.Stat(); err != nil || !os.SameFile(is, now) {
		own.Close()
		return nil
	}
	return &Source{own, isAway(own)}
}

// Suits reports whether the system should copy from offset from of the source to offset to of
// another file. Local files are copied page by page. If the pages of both are not aligned, that
// takes two steps for each page and blocks cannot be shared, so a buffer is faster.
func (s *Source) Suits(from, to int64) bool {
	const page = 4096 // bytes of a page, and of a block in most file systems
	return s.away || (from-to)%page == 0
}

// Close closes the source, but not the original file.
func (s *Source) Close() error { return s.file.Close() }
