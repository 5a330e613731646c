// The window: small reads that lie close to each other become one.

// Package window reads the small parts of a file, such as headers, a few at a time,
// so that each byte is read once and a server is asked seldom.
package window

import (
	"fmt"
	"io"
)

// Size is how many bytes are read at once, unless more are asked for: a page of a
// file, and little to ask of a server.
const Size = 4 << 10

// A Window is the part of a file that was read last. It is for one goroutine.
type Window struct {
	r     io.ReaderAt
	size  int64 // of the file
	begin int64
	buf   []byte
}

// New returns a window on the file of the given size behind r.
func New(r io.ReaderAt, size int64) *Window { return &Window{r: r, size: size} }

// At returns the n bytes at off, or fewer if the file ends before; none if off is
// not in the file. They are valid until the next call. Memory is taken for n bytes,
// so n must not be what a file claims without a bound.
func (w *Window) At(off int64, n int) ([]byte, error) {
	if off < 0 || off >= w.size {
		return nil, nil
	}
	n = int(min(int64(n), w.size-off))
	if off < w.begin || off+int64(n) > w.begin+int64(len(w.buf)) {
		if err := w.fill(off, int(min(int64(max(n, Size)), w.size-off))); err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.begin:][:n], nil
}

// fill reads the n bytes at off.
func (w *Window) fill(off int64, n int) error {
	if cap(w.buf) < n {
		w.buf = make([]byte, n)
	}
	w.begin, w.buf = off, w.buf[:n]
	if err := ReadFull(w.r, w.buf, off); err != nil {
		w.buf = w.buf[:0]
		return err
	}
	return nil
}

// ReadFull reads len(b) bytes at off, which the file has by its size. That it ends
// before is an error of reading.
func ReadFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return fmt.Errorf("read %d bytes at %d, and then the file ended, before its size: %w", n, off, io.ErrUnexpectedEOF)
	}
	return err
}
