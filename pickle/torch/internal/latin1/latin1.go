// Bytes that are stored as text.

// Package latin1 reads texts in UTF-8 as the bytes that their characters encode in Latin-1.
package latin1

import (
	"io"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Text provides the bytes for a UTF-8 text of characters up to U+00FF, which have one or two bytes in it.
type Text struct {
	text  *io.SectionReader
	size  int64
	index []int64 // offsets in the text of the bytes 0, step, 2*step, …

	refuse func(format string, args ...any) error
}

const step = 16 << 10

// New returns the bytes for a text. If the text has a character above U+00FF, the error comes from refuse.
func New(text *io.SectionReader, refuse func(format string, args ...any) error) (*Text, error) {
	t := &Text{text: text, refuse: refuse}
	return t, t.measure()
}

// Size returns the number of bytes.
func (t *Text) Size() int64 { return t.size }

// measure sets the size and the index.
func (t *Text) measure() error {
	return t.from(0, func(_ byte, off int64) bool {
		if t.size%step == 0 {
			t.index = append(t.index, off)
		}
		t.size++
		return true
	})
}

// from calls yield with each byte, starting with the one at off in the text, and that offset, until it returns false.
func (t *Text) from(off int64, yield func(b byte, off int64) bool) error {
	buf := make([]byte, 32<<10)
	for off < t.text.Size() {
		n, err := t.text.ReadAt(buf, off)
		if n == 0 {
			return err
		}
		i := 0
		for i < n {
			b, width := buf[i], 1
			if b >= 0x80 {
				if i+1 == n && off+int64(n) < t.text.Size() {
					break // the next block has the other half
				}
				if b&^1 != 0xc2 || i+1 == n || buf[i+1]&0xc0 != 0x80 {
					c, _ := utf8.DecodeRune(buf[i:n])
					return t.refuse("the data of an array contains the character %U, which is not a byte", c)
				}
				b, width = b<<6|buf[i+1]&0x3f, 2
			}
			if !yield(b, off+int64(i)) {
				return nil
			}
			i += width
		}
		off += int64(i)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (t *Text) ReadAt(b []byte, off int64) (n int, err error) {
	part, end := bytesio.Clip(b, off, t.size)
	if len(part) == 0 {
		return 0, end
	}
	skip := off % step
	err = t.from(t.index[off/step], func(c byte, _ int64) bool {
		if skip > 0 {
			skip--
			return true
		}
		part[n] = c
		n++
		return n < len(part)
	})
	switch {
	case err != nil:
		return n, err
	case n < len(part):
		return n, io.ErrUnexpectedEOF // the file was changed
	}
	return n, end
}
