// Small reads that lie close to each other.

package bytesio

import "io"

// WindowSize is how many bytes a Window reads at once, unless more are asked for:
// a page of a file.
const WindowSize = 4 << 10

// A Window holds the part of a file that was read last: small reads next to each
// other read the file once. It is not for concurrent use.
type Window struct {
	r     io.ReaderAt
	size  int64 // of the file
	begin int64
	buf   []byte
}

// NewWindow returns a Window on the file of the given size behind r.
func NewWindow(r io.ReaderAt, size int64) *Window { return &Window{r: r, size: size} }

// At returns the n bytes at off, or fewer if the file ends before; none if off is
// not in the file. They are valid until the next call. At allocates n bytes, so a
// length that a file claims must be bounded before.
func (w *Window) At(off int64, n int) ([]byte, error) {
	if off < 0 || off >= w.size {
		return nil, nil
	}
	n = int(min(int64(n), w.size-off))
	if off < w.begin || off+int64(n) > w.begin+int64(len(w.buf)) {
		if err := w.fill(off, int(min(int64(max(n, WindowSize)), w.size-off))); err != nil {
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
