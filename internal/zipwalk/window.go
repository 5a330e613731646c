// The window: headers are read a few at a time, and each byte once.

package zipwalk

import (
	"fmt"
	"io"
)

// windowSize is how many bytes are read at once: a local header with its name, the
// head of the content, and as a rule the content before it if that is small. It is
// a page, and little to ask of a server.
const windowSize = 4 << 10

// A window is the part of a file that was read last.
type window struct {
	r     io.ReaderAt
	size  int64 // of the file
	begin int64
	buf   []byte
}

// at returns the n bytes at off, or fewer if the file ends before. They are valid
// until the next call. n is bounded by what the fields of a header can say.
func (w *window) at(off int64, n int) ([]byte, error) {
	if off < 0 || off >= w.size {
		return nil, nil
	}
	n = int(min(int64(n), w.size-off))
	if off < w.begin || off+int64(n) > w.begin+int64(len(w.buf)) {
		if err := w.fill(off, max(n, windowSize)); err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.begin:][:n], nil
}

// fill reads n bytes at off, or up to the end of the file.
func (w *window) fill(off int64, n int) error {
	n = int(min(int64(n), w.size-off))
	if cap(w.buf) < n {
		w.buf = make([]byte, n)
	}
	w.begin, w.buf = off, w.buf[:n]
	if err := readFull(w.r, w.buf, off); err != nil {
		w.buf = w.buf[:0]
		return err
	}
	return nil
}

// readFull reads len(b) bytes at off, which lie within the file.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return fmt.Errorf("read %d bytes at %d, and then the file ended, before its size: %w", n, off, io.ErrUnexpectedEOF)
	}
	return err
}
