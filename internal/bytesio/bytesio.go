// Package bytesio reads bytes from files: in full, and a few at a time.
package bytesio

import (
	"fmt"
	"io"
	"io/fs"
)

// ReadFull reads len(b) bytes at off, which are within the size of the file. If
// the file ends before, the error wraps io.ErrUnexpectedEOF.
func ReadFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return fmt.Errorf("read %d bytes at %d, and then the file ended, before its size: %w",
			n, off, io.ErrUnexpectedEOF)
	}
	return err
}

// Clip returns the part of b that a read at off can fill from data of the given size, and the
// error of the read if it succeeds: io.EOF if the part is shorter than b.
func Clip(b []byte, off, size int64) (part []byte, end error) {
	switch left := size - off; {
	case off < 0:
		return nil, fmt.Errorf("read at the negative offset %d: %w", off, fs.ErrInvalid)
	case len(b) == 0:
		return nil, nil
	case left <= 0:
		return nil, io.EOF
	case left < int64(len(b)):
		return b[:left], io.EOF
	}
	return b, nil
}

// A Failing reader returns an error for each read.
type Failing struct{ Err error }

// ReadAt returns Err.
func (f Failing) ReadAt([]byte, int64) (int, error) { return 0, f.Err }

// ReadAll reads r to its end. A store may report a wrong size, so memory grows with the bytes that
// arrive: first 1 MiB, then 64 times what has arrived, up to the size.
func ReadAll(r *io.SectionReader) ([]byte, error) {
	text := make([]byte, 0, min(r.Size(), 1<<20))
	for {
		n, err := io.ReadFull(r, text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case int64(len(text)) == r.Size():
			return text, nil
		}
		text = append(make([]byte, 0, min(r.Size(), 64*int64(len(text)))), text...)
	}
}
