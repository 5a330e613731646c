// Package bytesio reads bytes from files: in full, and a few at a time.
package bytesio

import (
	"fmt"
	"io"
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
