// Copying a part of a file to another file, by the system where it can.

// Package filecopy has the system copy parts of files to files.
//
// A copy by the system is as fast as one by hand can be, and file systems that can
// share the blocks of two files copy nothing, and those of a network only on the
// server. What the system does not copy, for whatever reason, is left to the
// caller to read and write:
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

// bySystem says whether the system copies between files at all. Elsewhere package
// os would do it by hand, with a smaller buffer than the caller has.
const bySystem = runtime.GOOS == "linux" || runtime.GOOS == "freebsd"

// A Placed reader says in which file its bytes lie: in f, each at the offset at
// which the reader has it, up to size. f may be nil. The name of the method is one
// that nobody has by accident, as by embedding: who changes the bytes on the way
// must not have it.
type Placed interface {
	ReadsFile() (f *os.File, size int64)
}

// A Target is a writer to which parts of files can be copied.
type Target interface {
	io.Writer

	// CopyFile appends the n bytes of src from off on, as far as the system does
	// it, and returns how many. It may be none, and fewer than n are no error: the
	// reason will be met by whoever reads on. An error is as a rule one of writing.
	CopyFile(src *Source, off, n int64) (int64, error)
}

// To returns w as a Target, or nil if it is no file.
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

// CopyFile copies as [Target] says.
func (f File) CopyFile(src *Source, off, n int64) (int64, error) {
	if _, err := src.file.Seek(off, io.SeekStart); err != nil {
		return 0, nil
	}
	return f.ReadFrom(io.LimitReader(src.file, n))
}

// A Source is a file that was opened once more. The system copies from a file's
// position, and the position of a file that others use is not to be moved. A Source
// is for one goroutine.
type Source struct {
	file *os.File
	away bool // it is on another machine, which copies by itself
}

// Open opens the file that f is once more. It returns nil if the system does not
// copy, or if the name of f has become that of another file.
func Open(f *os.File) *Source {
	if !bySystem {
		return nil
	}
	is, err := f.Stat()
	if err != nil {
		return nil
	}
	// Asked before it is opened, since to open a pipe might take forever.
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

// Suits says whether the system is the one to copy from the source's offset from to
// the offset to of another file. On this machine it copies page by page, and where
// the pages of the two do not begin together it needs twice as many steps: then a
// buffer that the caches hold is faster, and blocks cannot be shared either.
func (s *Source) Suits(from, to int64) bool {
	const page = 4096 // bytes: of memory, and of the blocks of most file systems
	return s.away || (from-to)%page == 0
}

// Close closes the source, and not the file that it was made from.
func (s *Source) Close() error { return s.file.Close() }
