// The bytes of a tensor in a file or in memory.

package source

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
)

// A Section is the bytes of one tensor in a file. Unlike an io.SectionReader, it
// reports an error if the file ends inside of it: the header was checked against
// the size of the file, so the file has changed since.
type Section struct {
	R      io.ReaderAt
	Begin  int64 // of the bytes in R
	Size   int64
	Tensor string // the tensor's name

	// Bytes returns all bytes without copying them. It is nil if they are not in
	// memory.
	Bytes func() ([]byte, error)
}

// ReadAt implements io.ReaderAt.
func (s *Section) ReadAt(b []byte, off int64) (int, error) {
	part, end := clip(s.Tensor, b, off, s.Size)
	if len(part) == 0 {
		return 0, end
	}
	n, err := s.R.ReadAt(part, s.Begin+off)
	if n < len(part) {
		return n, ShortRead(s.Tensor, off+int64(n), s.Size, err)
	}
	return n, end
}

// Part returns the bytes from begin up to end, counted from the first of s. It
// reads from R directly, so a slice of a slice is as fast as a slice.
func (s *Section) Part(begin, end int64) *Section {
	part := *s
	part.Begin += begin
	part.Size = end - begin
	if s.Bytes != nil {
		part.Bytes = func() ([]byte, error) {
			b, err := s.Bytes()
			if err != nil {
				return nil, err
			}
			return b[begin:end:end], nil
		}
	}
	return &part
}

// A Memory is bytes that do not change. It is read through a Section, which checks
// offsets.
type Memory []byte

// ReadAt copies from off on. The caller checks that off is in m.
func (m Memory) ReadAt(b []byte, off int64) (int, error) { return copy(b, m[off:]), nil }

// InMemory returns a Section of b, which is not copied.
func InMemory(tensor string, b []byte) *Section {
	return &Section{Memory(b), 0, int64(len(b)), tensor, func() ([]byte, error) { return b, nil }}
}

// memoryOf returns the first size bytes of r if they are a Memory, and nil
// otherwise. The bytes of a mapped file are not: touching them can fail.
func memoryOf(r io.ReaderAt, size int64) []byte {
	s, ok := r.(*Section)
	if !ok || s.Size < size {
		return nil
	}
	m, ok := s.R.(Memory)
	if !ok {
		return nil
	}
	return m[s.Begin : s.Begin+s.Size]
}

// Reversed returns a reader of numbers of the given size in bytes, whose bytes in b
// are in reverse order. They are reversed as they are read, since b belongs to the
// caller.
func Reversed(tensor string, b []byte, size int) *Computed {
	p := Packing{1, int64(size)}
	return NewComputed(p, tensor, int64(len(b)), p.Most(), func(dst []byte, first int64, n int) (int, error) {
		copy(dst, b[int(first)*size:])
		Reverse(dst, size)
		return n, nil
	})
}

// Reverse reverses the bytes of each number of the given size in b.
func Reverse(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// clip returns the part of b that a read at off can fill from a tensor of the given
// size, and the error of the read if it succeeds: io.EOF if the part is shorter
// than b.
func clip(tensor string, b []byte, off, size int64) ([]byte, error) {
	switch left := size - off; {
	case off < 0:
		return nil, fmt.Errorf("safetensors: a read of tensor %s at the negative offset %d", wording.Quote(tensor), off)
	case len(b) == 0:
		return nil, nil
	case left <= 0:
		return nil, io.EOF
	case left < int64(len(b)):
		return b[:left], io.EOF
	}
	return b, nil
}

// ShortRead returns the error of a file that had only got of a tensor's size bytes.
func ShortRead(tensor string, got, size int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("safetensors: read %d of the %d bytes of tensor %s: %w", got, size, wording.Quote(tensor), err)
}

// Early returns the error of a reader that returned fewer bytes than it was asked
// for: err, or if that is nil or io.EOF, that the tensor's source ends at the given
// byte.
func Early(tensor string, at int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("safetensors: the source of tensor %s ends at byte %d: %w", wording.Quote(tensor), at, io.ErrUnexpectedEOF)
	}
	return err
}
