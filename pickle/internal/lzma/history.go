// The history: what was unpacked last, to which matches refer back.

package lzma

import (
	"errors"
	"io"
)

// A history is the end of what was unpacked. Its tail has yet to be read.
type history struct {
	buf   []byte
	given int   // how much of buf was read
	total int64 // how much was ever written since the last reset
}

// ready returns what has yet to be read.
func (h *history) ready() []byte { return h.buf[h.given:] }

// take moves bytes out to b.
func (h *history) take(b []byte) int {
	const slack = 2 << 20 // bytes, so that the history is not moved for every few
	n := copy(b, h.ready())
	h.given += n
	if h.given == len(h.buf) && len(h.buf) > mostHistory+slack {
		h.buf = h.buf[:copy(h.buf, h.buf[len(h.buf)-mostHistory:])]
		h.given = len(h.buf)
	}
	return n
}

// forget makes all that was unpacked unreachable for matches.
func (h *history) forget() { h.total = 0 }

// put appends a byte.
func (h *history) put(c byte) {
	h.buf = append(h.buf, c)
	h.total++
}

// last returns the byte at the given distance back: 0 is that written last. Before the
// first there are zeros, as the specification has it for literals.
func (h *history) last(distance uint32) byte {
	if int64(distance) >= h.total || int(distance) >= len(h.buf) {
		return 0
	}
	return h.buf[len(h.buf)-1-int(distance)]
}

// repeat appends n bytes from the given distance back, which may overlap them.
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

// copyFrom appends n bytes of r.
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
