// The history buffer: recent output, which matches refer back to.

package lzma

import (
	"errors"
	"io"
)

// mostHistory is the maximum match distance in bytes. It is the dictionary size of xz -6, the default of xz and of
// Python.
const mostHistory = 8 << 20

var (
	errData    = errors.New("lzma: invalid data")
	errHistory = errors.New("lzma: match distance exceeds the supported dictionary size of 8 MiB")
)

// A history holds recent output. The bytes from given on have not been returned to the caller yet.
type history struct {
	buf   []byte
	given int
	total int64 // bytes written since the last dictionary reset
}

// ready returns the output that has not been read yet.
func (h *history) ready() []byte { return h.buf[h.given:] }

// take copies unread output to b. It drops old output only after some slack has built up.
func (h *history) take(b []byte) int {
	const slack = 2 << 20
	n := copy(b, h.ready())
	h.given += n
	if h.given == len(h.buf) && len(h.buf) > mostHistory+slack {
		h.buf = h.buf[:copy(h.buf, h.buf[len(h.buf)-mostHistory:])]
		h.given = len(h.buf)
	}
	return n
}

// forget resets the dictionary: matches cannot refer to earlier output.
func (h *history) forget() { h.total = 0 }

// put appends one byte.
func (h *history) put(c byte) {
	h.buf = append(h.buf, c)
	h.total++
}

// last returns the byte at the given distance back; distance 0 is the most recent byte. It returns 0 for positions
// before the first byte, as the specification requires for literals.
func (h *history) last(distance uint32) byte {
	if int64(distance) >= h.total || int64(distance) >= int64(len(h.buf)) {
		return 0
	}
	return h.buf[len(h.buf)-1-int(distance)]
}

// repeat appends n bytes starting at the given distance back. Source and destination may overlap.
func (h *history) repeat(distance uint32, n int) error {
	switch {
	case int64(distance) >= h.total:
		return errData
	case int64(distance) >= int64(len(h.buf)):
		return errHistory
	}
	from := len(h.buf) - 1 - int(distance)
	for range n {
		h.buf = append(h.buf, h.buf[from])
		from++
	}
	h.total += int64(n)
	return nil
}

// copyFrom appends n bytes read from r.
func (h *history) copyFrom(r io.Reader, n int) error {
	begin := len(h.buf)
	h.buf = append(h.buf, make([]byte, n)...)
	got, err := io.ReadFull(r, h.buf[begin:])
	h.buf = h.buf[:begin+got]
	h.total += int64(got)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
