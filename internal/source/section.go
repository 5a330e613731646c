// The bytes of a tensor in a file or in memory.

package source

import (
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
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
	part, end := bytesio.Clip(b, off, s.Size)
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
